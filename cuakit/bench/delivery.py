"""The delivery matrix: toolkit × action × state of the window, judged by the programs themselves.

``delivered``: the program shows the effect. ``refused``: the receipt is a refusal with a code, and nothing arrived.
``silent``: the receipt and the program disagree. ``doubtful``: nothing arrived, and the receipt said that it suspects
so. ``disturbed`` counts cells, of any of these kinds, after which the person's pointer, focus, attention or stacking
was different, or a key had landed in the person's window.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any, Final, Literal, Protocol

from cuakit.backends.desktop import Desktop
from cuakit.backends.x11 import X11
from cuakit.backends.x11_manage import activate, iconify, manager_caught_up
from cuakit.backends.x11_situation import situation
from cuakit.backends.x11_windows import list_windows, window_info
from cuakit.bench.delivery_programs import PROGRAMS, Cell, Program, Seen, started
from cuakit.capture.window import Window
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import BackendError, CuakitError, UsageError
from cuakit.core.geometry import Box
from cuakit.perceive.accessibility import AccessibilityElements

State = Literal["covered", "unfocused", "minimized"]
STATES: Final[tuple[State, ...]] = ("covered", "unfocused", "minimized")
Outcome = Literal["delivered", "refused", "silent", "doubtful"]

ARRIVES_WITHIN_S: Final = 2.5
"""How long an effect is waited for."""

_START_WITHIN_S: Final = 90.0
_SETTLE_S: Final = 0.05


class Hand(Protocol):
    """Somebody who acts: we, or the peer."""

    name: str

    def act(self, cell: Cell, target: Candidate | None) -> tuple[str, str]:
        """Carry out a cell. Returns ``sent``, ``doubtful`` or ``refused``, and the code or route."""

    def close(self) -> None:
        """Let go of everything."""


HandFactory = Callable[[Desktop, Window, int], Hand]
"""Makes a hand for one window: desktop, window, process id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One cell of the matrix.

    Args:
        hand: Who acted.
        toolkit: On which program.
        action: What.
        state: In which state of its window.
        outcome: What came of it.
        note: Route or refusal code.
        disturbed: What the person would have noticed.
        ms: Time until the receipt.
    """

    hand: str
    toolkit: str
    action: str
    state: State
    outcome: Outcome
    note: str
    disturbed: tuple[str, ...]
    ms: float


class Stage:
    """A desktop with one program under test and a person at work in a terminal."""

    def __init__(self, desktop: Desktop, x: X11, program: Program) -> None:
        self.desktop, self.x, self.program = desktop, x, program
        self._known: dict[str, Candidate] = {}
        self._log = desktop.home / "person.log"
        self.cover = self._terminal("cover", "240x90+0+0", self._log)
        self.corner = self._terminal("corner", "20x4-0-0", self._log)
        process = started(desktop, program)
        self.pid = process.pid
        self.id = _wait(lambda: [w.id for w in list_windows(x) if program.title in w.title and w.on_screen])[0]
        self.window = Window.open(self.id, x=x)
        self._perceive = AccessibilityElements(session=desktop.env["DBUS_SESSION_BUS_ADDRESS"]).bind(self.window)
        _wait(lambda: len(self.look()) > (0 if program.name == "xterm" else 4))
        _wait(lambda: program.name == "chromium" or self.facts() is not None)

    def look(self) -> Candidates:
        """Objects of the program; a terminal is one object."""
        shot = self.window.grab()
        if self.program.name == "xterm":
            return Candidates([Candidate(id="c1", box=Box(0, 0, shot.width, shot.height))])
        return self._perceive(shot)

    def find(self, cell: Cell) -> Candidate | None:
        """What a cell acts on; as last seen, where the program does not show it now."""
        if cell.target is None:
            return None
        try:
            self._known[cell.action] = cell.target(self.look())
        except (CuakitError, ValueError):
            if cell.action not in self._known:
                raise
        return self._known[cell.action]

    def facts(self) -> Any:
        """What tells about the program's state now."""
        return self.program.facts(Seen(look=self.look, title=self.window.title(), home=self.desktop.home))

    def arrange(self, state: State) -> None:
        """Bring the windows into a state: the person's is active, the program's is covered, in view, or minimized."""
        x, person = self.x, self.corner if state == "unfocused" else self.cover
        if state == "minimized":
            self.window.grab()
            iconify(x, self.id)
            _wait(lambda: not window_info(x, self.id).on_screen)
        elif not window_info(x, self.id).on_screen:
            activate(x, self.id)
            _wait(lambda: window_info(x, self.id).on_screen)
        if state == "unfocused":
            activate(x, self.id)
            _wait(lambda: situation(x).active == self.id)
        activate(x, person)
        _wait(lambda: (s := situation(x)).active == person and s.stacking[-1] == person)
        manager_caught_up(x)
        self._paint()

    def noticed(self, before: Any, typed: bytes) -> tuple[str, ...]:
        """What the person would notice."""
        manager_caught_up(self.x)
        stray = ("a key landed in the person's window",) if self._log.read_bytes() != typed else ()
        return (*before.changes(situation(self.x)), *stray)

    def typed(self) -> bytes:
        """What landed in the person's windows."""
        return self._log.read_bytes()

    def close(self) -> None:
        """Let go of the window."""
        self.window.close()

    def _paint(self) -> None:
        end, last = time.monotonic() + 2, ""
        while time.monotonic() < end and (now := self.window.grab().digest) != last:
            last = now
            time.sleep(_SETTLE_S)

    def _terminal(self, title: str, geometry: str, log: Any) -> int:
        self.desktop.spawn(["xterm", "-T", title, "-geometry", geometry, "-e", f"cat >> {log}"])
        found = _wait(lambda: [w.id for w in list_windows(self.x) if w.title == title and w.on_screen])
        _wait(log.exists)
        return int(found[0])


def run_delivery(
    hands: Sequence[HandFactory],
    *,
    toolkits: Sequence[str] = (),
    states: Sequence[State] = STATES,
    progress: Callable[[Result], object] = lambda _: None,
) -> tuple[Result, ...]:
    """Run the matrix.

    Args:
        hands: Who acts; each gets every cell, on the same running program.
        toolkits: Names of :data:`PROGRAMS`; all by default.
        states: States of the window.
        progress: Called with each result.

    Raises:
        UsageError: Unknown toolkit.
        DisplayUnavailable: There is no X server to be had.
    """
    unknown = set(toolkits) - {p.name for p in PROGRAMS}
    if unknown:
        raise UsageError(f"no toolkit {sorted(unknown)}", hint=f"toolkits: {', '.join(p.name for p in PROGRAMS)}")
    results: list[Result] = []
    for program in PROGRAMS:
        if (toolkits and program.name not in toolkits) or program.missing():
            continue
        with staged(program) as stage:
            for result in _rows(stage, hands, states):
                results.append(result)
                progress(result)
    return tuple(results)


def skipped(toolkits: Sequence[str] = ()) -> dict[str, str]:
    """Toolkits that cannot be run here, and the packages that they need."""
    return {p.name: p.missing() for p in PROGRAMS if p.missing() and (not toolkits or p.name in toolkits)}


def summary(results: Iterable[Result]) -> dict[str, Any]:
    """Counts per hand: ``cells``, ``delivered``, ``refused``, ``silent_failures``, ``doubtful``, ``disturbed``."""
    out: dict[str, Any] = {}
    for result in results:
        counts = out.setdefault(result.hand, Counter())
        counts.update(
            ["cells", _PLURAL.get(result.outcome, result.outcome), *(["disturbed"] if result.disturbed else [])]
        )
    kinds = ("cells", "delivered", "refused", "silent_failures", "doubtful", "disturbed")
    return {hand: {kind: counts[kind] for kind in kinds} for hand, counts in out.items()}


_PLURAL: Final = {"silent": "silent_failures"}


def rows(results: Iterable[Result]) -> list[dict[str, Any]]:
    """Flat rows, for a DataFrame."""
    return [asdict(result) for result in results]


@contextmanager
def staged(program: Program) -> Iterator[Stage]:
    """A desktop of its own with one program on it, for as long as the context lasts."""
    with ExitStack() as stack:
        desktop = stack.enter_context(Desktop.launch(width=1280, height=900))
        x = stack.enter_context(X11.open(desktop.display))
        stage = Stage(desktop, x, program)
        stack.callback(stage.close)
        yield stage


def _rows(stage: Stage, hands: Sequence[HandFactory], states: Sequence[State]) -> Iterator[Result]:
    turns = count()
    for make in hands:
        hand = make(stage.desktop, stage.window, stage.pid)
        try:
            for state in states:
                for cell in stage.program.cells(next(turns)):
                    yield _cell(stage, hand, cell, state)
        finally:
            hand.close()


def _cell(stage: Stage, hand: Hand, cell: Cell, state: State) -> Result:
    stage.arrange(state)
    target = stage.find(cell)
    facts, before, typed = stage.facts(), situation(stage.x), stage.typed()
    began = time.perf_counter()
    said, note = hand.act(cell, target)
    took = (time.perf_counter() - began) * 1e3
    disturbed = stage.noticed(before, typed)
    within = ARRIVES_WITHIN_S if said != "refused" else 0.3
    arrived = _holds(lambda: cell.arrived(facts, stage.facts()), within)
    outcome: Outcome = "delivered" if arrived else "refused" if said == "refused" else "silent"
    if arrived and said == "refused":
        outcome = "silent"
    elif not arrived and said == "doubtful":
        outcome = "doubtful"
    return _result(stage, hand, cell, state, (outcome, note, disturbed, took))


def _result(
    stage: Stage, hand: Hand, cell: Cell, state: State, came: tuple[Outcome, str, tuple[str, ...], float]
) -> Result:
    outcome, note, disturbed, took = came
    return Result(
        hand=hand.name,
        toolkit=stage.program.name,
        action=cell.action,
        state=state,
        outcome=outcome,
        note=note,
        disturbed=disturbed,
        ms=round(took, 1),
    )


def _holds(test: Callable[[], bool], within_s: float) -> bool:
    """Whether something comes to hold in time; a slow look gets three tries all the same."""
    end, tries = time.monotonic() + within_s, 0
    while not test():
        tries += 1
        if time.monotonic() >= end and tries >= 3:
            return False
        time.sleep(_SETTLE_S)
    return True


def _wait(holds: Callable[[], Any], within_s: float = _START_WITHIN_S) -> Any:
    end = time.monotonic() + within_s
    while True:
        try:
            if found := holds():
                return found
        except (BackendError, OSError):
            pass  # a program that starts is not on every bus yet
        if time.monotonic() >= end:
            raise BackendError("a program of the matrix did not become ready", hint="look at its output")
        time.sleep(_SETTLE_S)
