"""A report stands alone, shows failures first, and never more than it promised; nothing on a screen becomes its HTML."""

from html.parser import HTMLParser

import pytest

from cuakit.bench import Run
from cuakit.bench.report import Caps, chosen, html, markdown, stage_times, write_report
from cuakit.bench.results import summarize
from cuakit.core.errors import RecordError
from cuakit.core.trajectory import Trial


def trial(n: int, *, agent="a", task="t", score: float | None = 1.0, outcome="scored", group="g", **extra) -> Trial:
    return Trial(
        id=f"{n:020x}",
        suite="s",
        task=task,
        agent=agent,
        seed=n,
        outcome=outcome,
        score=score,
        extra={"group": group, "step_ms": [10.0 * n], **extra},
    )


class Tags(HTMLParser):
    """Collects tags and outside references of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.links += [v for k, v in attrs if k in ("src", "href") and v]


def test_an_unscored_trial_is_in_no_figure_but_its_own():
    lines = summarize((trial(1), trial(2, score=0.0), trial(3, score=None, outcome="timeout"), trial(4, score=0.5)))
    whole = next(line for line in lines if line.group == "all")
    assert (whole.success.successes, whole.success.n, whole.invalid) == (1, 3, 1)
    assert whole.mean == pytest.approx(0.5)
    assert whole.step_ms == 25


def test_lines_come_by_agent_and_group_with_the_whole_last():
    lines = summarize((trial(1, group="y"), trial(2, group="x"), trial(3, agent="b", group="x")))
    assert [(c.agent, c.group) for c in lines] == [("a", "x"), ("a", "y"), ("a", "all"), ("b", "x"), ("b", "all")]
    assert summarize(()) == ()


def test_failures_are_shown_first_spread_over_tasks_and_capped():
    trials = [trial(i, task="many", score=0.0) for i in range(9)]
    trials += [trial(20, task="few", score=0.0), trial(21, task="odd", score=None, outcome="timeout")]
    trials += [trial(30 + i, task="fine") for i in range(9)]
    shown = chosen(trials, Caps(bad=4, good=2))
    assert len(shown) == 6
    assert [t.task for t in shown[-2:]] == ["fine", "fine"]
    assert {"many", "few", "odd"} == {t.task for t in shown[:4]}
    assert [t.valid for t in shown[:2]] == [True, True], "what could be scored comes before what could not"


def test_a_report_stands_alone(toy):
    run = toy("ok", "fail", "raise")
    path = write_report(run)
    page = path.read_text("utf-8")
    tags = Tags(page)
    assert tags.seen.count("details") == 3
    assert tags.seen.count("img") == 3 + 3 + 0
    assert {"script", "link", "iframe"}.isdisjoint(tags.seen)
    assert all(link.startswith("data:") for link in tags.links)
    order = [page.index(f"toy_env:Toy/{name} ·") for name in ("fail", "raise", "ok")]
    assert order == sorted(order)
    assert "divides by zero" in page
    assert "cuakit frozen" in page
    assert path.with_suffix(".md").read_text("utf-8") == markdown(run)
    assert {(agent, stage) for agent, stage, *_ in stage_times(run)} >= {("toy", "capture"), ("toy", "decide")}


def test_pictures_end_where_the_cap_is(toy):
    run = toy("ok", "fail")
    assert Tags(html(run, caps=Caps(pictures=3))).seen.count("img") == 3
    assert Tags(html(run, caps=Caps(bad=0, good=0))).seen.count("details") == 0


def test_a_lost_frame_leaves_the_report_whole(toy):
    run = toy("ok")
    for frame in run.record.blobs.root.rglob("*.png"):
        frame.unlink()
    assert Tags(html(run)).seen.count("img") == 3


def test_words_from_a_screen_stay_words():
    from cuakit.bench.filmstrip import strip

    page = strip(trial(1, task="<script>x</script>", goal="<img src=x onerror=alert(1)>", reason="<b>"), [])
    assert {"script", "img"}.isdisjoint(Tags(page).seen)


def test_a_run_that_was_stopped_says_what_is_missing(toy):
    ledger = toy("ok", seeds=2).folder / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(lines[:-1]))
    assert "1 trials, 1 still to run, 0 not scored" in markdown(Run(ledger.parent))


def test_a_report_that_cannot_be_written_is_told(toy, tmp_path):
    with pytest.raises(RecordError, match="cannot be written"):
        write_report(toy("ok"), tmp_path / "no" / "folder" / "r.html")
