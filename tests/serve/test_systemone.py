"""The System One server: what it accepts, what it refuses and how, and that any decider can stand behind it."""

import json
import threading
import urllib.error
import urllib.request

import pytest

from cuakit.core.errors import PortTaken
from cuakit.decide.lexical import Lexical
from cuakit.decide.noop import Noop
from cuakit.llm.systemone import SystemOne
from cuakit.serve.answer import Answerer
from cuakit.serve.protocol import Asked, Invalid, read, write
from cuakit.serve.systemone import SystemOneServer

CHOICE = {"type": "choice", "criteria": {"Billing": "invoices", "Technical": "crashes and bugs"}}


@pytest.fixture(scope="module")
def server():
    with SystemOneServer(Answerer(decider=Lexical(), model="lexical-v1"), model="lexical-v1") as running:
        yield running


def post(server, body, *, token=None, path="/v1/systemone", raw=None):
    data = raw if raw is not None else json.dumps(body).encode()
    request = urllib.request.Request(server.url + path, data=data)
    request.add_header("Authorization", f"Bearer {server.token if token is None else token}")
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, json.load(refused)


def ask(state, **questions):
    return {"model": "jev-latest", "state": state, "questions": questions}


def test_every_kind_of_question_is_answered(server):
    body = ask(
        "The app crashes with a bug",
        a=CHOICE,
        b={"type": "noul", "instructions": "Is it a bug?"},
        c={"type": "score", "criteria": ["calm", "cross", "furious"]},
    )
    status, reply = post(server, body)
    assert status == 200
    assert reply["model"] == "lexical-v1"
    a, b, c = (reply["answers"][k] for k in "abc")
    assert a["choice"] == "Technical"
    assert sum(a["probabilities"].values()) == pytest.approx(1)
    assert 0 <= b["noul"] <= 1
    assert c["score"] == pytest.approx(sum(int(k) * p for k, p in c["probabilities"].items()))
    assert c["legend"] == {"0": "calm", "1": "cross", "2": "furious"}


def test_neither_name_nor_order_nor_company_of_a_question_matters(server):
    alone = post(server, ask("bug", q=CHOICE))[1]["answers"]["q"]
    turned = {"type": "choice", "criteria": dict(reversed(CHOICE["criteria"].items()))}
    both = post(server, ask("bug", other={"type": "noul"}, zzz=turned))[1]["answers"]["zzz"]
    assert both == alone


@pytest.mark.parametrize("token", ["", "wrong", "a" * 5000])
def test_a_client_without_the_token_gets_nothing(server, token):
    status, reply = post(server, ask("x", q=CHOICE), token=token)
    assert (status, reply["detail"]["error_type"]) == (401, "authentication_error")


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ([], ["body"]),
        ({"state": "x", "questions": {"q": CHOICE}}, ["body", "model"]),
        ({"model": "m", "state": 1, "questions": {"q": CHOICE}}, ["body", "state"]),
        ({"model": "m", "state": "x", "questions": {}}, ["body", "questions"]),
        ({"model": "m", "state": "x", "questions": {"": CHOICE}}, ["body", "questions"]),
        (ask("x", q={"type": "box"}), ["body", "questions", "q", "type"]),
        (ask("x", q={"type": "choice", "criteria": {}}), ["body", "questions", "q", "criteria"]),
        (ask("x", q={"type": "choice", "criteria": {"a": 1, "b": ""}}), ["body", "questions", "q", "criteria", "a"]),
        (ask("x", q={"type": "score", "criteria": {"0": "a"}}), ["body", "questions", "q", "criteria"]),
        (ask("x", q={"type": "noul", "criteria": {"maybe": ""}}), ["body", "questions", "q", "criteria"]),
        (ask("x", q={"type": "noul", "instructions": 5}), ["body", "questions", "q", "instructions"]),
    ],
)
def test_a_malformed_request_is_located(server, body, place):
    status, reply = post(server, body)
    assert status == 422
    assert reply["detail"][0]["loc"] == place


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b'{"model": NaN}', b"[" * 100_000])
def test_what_is_no_json_is_refused(server, raw):
    assert post(server, None, raw=raw)[0] == 422


def test_an_unknown_path_says_where_to_go(server):
    assert post(server, ask("x", q=CHOICE), path="/v1/chat")[0] == 404


def test_models_are_listed(server):
    request = urllib.request.Request(server.url + "/v1/models", headers={"Authorization": f"Bearer {server.token}"})
    with urllib.request.urlopen(request, timeout=10) as reply:
        assert json.load(reply)["data"][0]["id"] == "lexical-v1"


def test_a_taken_port_is_explained(server):
    with pytest.raises(PortTaken, match="choose another"):
        SystemOneServer(lambda *_: {}, model="m", port=int(server.url.rsplit(":", 1)[1]))


def test_it_listens_on_loopback_only_and_stops():
    before = set(threading.enumerate())
    with SystemOneServer(lambda *_: {}, model="m") as running:
        assert running.url.startswith("http://127.0.0.1:")
    running.close()
    assert set(threading.enumerate()) <= before  # others may end meanwhile


ROWS = [
    ["w2", "textbox", "Name", "dom", ["CLICK", "TYPE_TEXT"], ""],
    ["w3", "checkbox", "Window seat", "dom", ["CLICK"], False],
    ["w5", "button", "Book", "dom", ["CLICK"]],
]


def screen(*, recent=(), rows=ROWS, title="Trip", verification=('The title is "done"',)):
    return {
        "subtask": {
            "goal": 'Enter "Ann" as name, tick "Window seat", then press "Book"',
            "inputs": {"name": "Ann"},
            "verification": list(verification),
        },
        "desktop": {
            "window": title,
            "element_columns": ["id", "role", "name", "source", "actions", "value"],
            "elements": rows,
        },
        "recent_actions": list(recent),
    }


HEADS = {
    "operation": {
        "CLICK": "",
        "TYPE_TEXT": "",
        "PRESS_KEY": "",
        "SUBTASK_COMPLETE": "",
        "BLOCKED": "",
        "NEEDS_AGENT": "",
    },
    "verification_0": {"SATISFIED": "", "NOT_SATISFIED": "", "UNKNOWN": ""},
    "click_target": {"w2": "", "w3": "", "w5": ""},
    "type_text_target": {"w2": ""},
    "type_text_input": {"name": "", "NONE": ""},
}


def choices(decider, state):
    raws = {"click_target": "CLICK", "type_text_target": "TYPE_TEXT", "type_text_input": "TYPE_TEXT"}
    asked = {}
    for name, options in HEADS.items():
        raw = {"operation": raws[name]} if name in raws else {"criterion": 'The title is "done"'}
        asked[name] = Asked(kind="choice", options=options, instructions="", raw=raw)
    return {name: a["choice"] for name, a in Answerer(decider=decider, model="m")(state, asked).items()}


def test_a_decider_answers_for_a_screen_it_gets_as_a_table():
    said = choices(Lexical(), screen())
    assert (said["operation"], said["type_text_target"], said["type_text_input"]) == ("TYPE_TEXT", "w2", "name")
    assert said["verification_0"] == "NOT_SATISFIED"


def test_what_was_done_is_not_done_again():
    rows = [["w2", "textbox", "Name", "dom", ["CLICK", "TYPE_TEXT"], "Ann"], *ROWS[1:]]
    done = [{"action": "TYPE_TEXT", "target": "w2", "input_key": "name"}]
    said = choices(Lexical(), screen(rows=rows, recent=done))
    assert (said["operation"], said["click_target"]) == ("CLICK", "w3")


def test_completion_is_reported_when_the_statements_hold():
    done = [{"action": "CLICK", "target": "w5"}]
    said = choices(Lexical(), screen(title="done", recent=done))
    assert (said["operation"], said["verification_0"]) == ("SUBTASK_COMPLETE", "SATISFIED")


def test_a_decider_that_abstains_hands_back_to_the_planner():
    assert choices(Noop(), screen())["operation"] == "NEEDS_AGENT"


def test_our_own_client_talks_to_our_own_server(server):
    from cuakit.core.decision import Question

    asked = {"operation": Question(name="operation", options={"CLICK": "click", "abstain": "none"})}
    reply = SystemOne(base_url=server.url, api_key=server.token).ask({"text": "click"}, asked)
    assert reply["answers"]["operation"]["choice"] == "CLICK"


@pytest.mark.parametrize("n", [2, 255])
def test_confidence_follows_the_reference_formula(n):
    asked = Asked(kind="choice", options={f"o{i}": "" for i in range(n)}, instructions="")
    even = write(asked, dict.fromkeys(asked.options, 1.0))
    sure = write(asked, {o: float(o == "o0") for o in asked.options})
    assert even["confidence"] == pytest.approx(0, abs=1e-9)
    assert sure["confidence"] == 1


def test_too_many_options_are_refused():
    with pytest.raises(Invalid, match="255"):
        read(ask("x", q={"type": "choice", "criteria": {f"o{i}": None for i in range(256)}}))
