"""How long it takes to read a window, tree and picture in one, and how much is found: ours and the peer's, side by side.

Readers take turns on the same running program, and who begins changes from round to round. The first read of each opens
the window and is kept apart. A large web page is read beside, timed inside the page and from outside.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from cuakit.backends.cdp import Browser
from cuakit.bench.delivery import Stage, skipped, staged
from cuakit.bench.delivery_programs import PROGRAMS
from cuakit.bench.lab.samples import median_interval, ratio_interval
from cuakit.bench.machine import commit, machine_card
from cuakit.bench.tool_server import ToolServer, cua_driver
from cuakit.core.errors import BackendError, CuakitError, UsageError
from cuakit.perceive.dom import HANDLE, DomElements

OURS: Final = ""
OVER_MCP: Final = "mcp_"
PEER: Final = "peer_"
"""Prefix of a reader's columns: our session in this process, our MCP server, and cua-driver."""

GET_PEER: Final = (
    "cua-driver is not installed: pip install cua-driver into some Python, and name its executable with --peer"
)

LARGE_PAGE: Final = (
    "<h1>Big</h1><form><input placeholder=q><button>Search</button></form><table>"
    + ("<tr>" + "<td>cell text</td>" * 16 + "<td><a href='#'>open</a></td><td><input type=checkbox></td></tr>") * 228
    + "</table>"
)
"""Body of a page with about 4,800 nodes."""

READ_IN_PAGE: Final = f"""(() => {{
  const start = performance.now();
  {HANDLE}.read({{text: true, offscreen: 100, limit: 3000}});
  return performance.now() - start;
}})()"""
"""JavaScript expression: milliseconds of one read inside a page that has the reader."""

_WARM: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What one read of a window found.

    Args:
        elements: Number of objects, by the reader's own count.
        source: ``accessibility`` or ``pixels``.
        complete: Whether the reader says that nothing was cut off.
    """

    elements: int
    source: str
    complete: bool = True


class Reader(Protocol):
    """Somebody who reads one window."""

    def __call__(self) -> Read:
        """Read tree and picture once."""

    def close(self) -> None:
        """Let go of everything."""


ReaderFactory = Callable[[Stage], Reader]
"""Makes a reader for the window of a stage."""


class Session(Protocol):
    """What is timed in this process, such as :class:`cuakit.serve.desk.Desk`."""

    def get_window_state(self, window_id: int) -> tuple[dict[str, Any], Any]:
        """State of a window, and its picture."""

    def close(self) -> None:
        """Let go of everything."""


class SessionFactory(Protocol):
    """Opens a session on a display."""

    def __call__(self, *, display: str, session: str) -> Session:
        """A session; ``session`` is the D-Bus address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """Reads of one window by one reader.

    Args:
        first_ms: Time of the first read, which opens the window.
        ms: Times of the others.
        reads: What these found.
        wrong: Why there are no more, where the reader failed.
    """

    first_ms: float | None = None
    ms: tuple[float, ...] = ()
    reads: tuple[Read, ...] = ()
    wrong: str = ""


class _InProcess:
    def __init__(self, session: Session, window: int) -> None:
        self._session, self._window = session, window

    def __call__(self) -> Read:
        state, _ = self._session.get_window_state(self._window)
        return Read(elements=state["elements_total"], source=state["source"])

    def close(self) -> None:
        self._session.close()


class _Served:
    """A tool server's ``get_window_state``, picture and all."""

    def __init__(
        self, server: ToolServer, arguments: Mapping[str, Any], told: Callable[[Mapping[str, Any]], Read]
    ) -> None:
        self._server, self._arguments, self._told = server, arguments, told

    def __call__(self) -> Read:
        answer = self._server.call("get_window_state", self._arguments)
        state = answer.get("structuredContent") or {}
        if answer.get("isError"):
            raise BackendError(f"refused: {state.get('code') or state.get('error_code') or 'error'}")
        if not any(part.get("type") == "image" for part in answer.get("content", ())):
            raise BackendError("gave no picture")
        return self._told(state)

    def close(self) -> None:
        self._server.close()


def in_process(open_session: SessionFactory) -> ReaderFactory:
    """Our session, called as a Python object; the picture stays an array."""
    return lambda stage: _InProcess(
        open_session(display=stage.desktop.display, session=stage.desktop.env["DBUS_SESSION_BUS_ADDRESS"]), stage.id
    )


def over_mcp() -> ReaderFactory:
    """Our MCP server as a process of its own, as the peer is; the picture goes as PNG."""
    command = [sys.executable, "-m", "cuakit.cli", "mcp", "--mode", "observe"]
    return lambda stage: _Served(
        ToolServer(stage.desktop, command),
        {"window_id": stage.id},
        lambda s: Read(elements=s["elements_total"], source=s["source"]),
    )


def by_peer(executable: Path) -> ReaderFactory:
    """cua-driver at its defaults, asked for structured elements; the picture goes as PNG.

    Args:
        executable: The driver.
    """
    return lambda stage: _Served(
        cua_driver(stage.desktop, executable),
        {"pid": stage.window.info().pid or stage.pid, "window_id": stage.id, "tree_format": "elements"},
        peer_read,
    )


def peer_read(state: Mapping[str, Any]) -> Read:
    """What a state of cua-driver's says: its count of elements, and whether it was cut off."""
    return Read(
        elements=int(state.get("total_element_count", len(state.get("elements", ())))),
        source="accessibility",
        complete=not state.get("truncated", False),
    )


def peer_executable(named: Path | None = None) -> Path | None:
    """The driver that was named, or the one on the path; None when there is none.

    Raises:
        UsageError: The named one is not there.
    """
    if named is not None and not named.is_file():
        raise UsageError(f"no program {named}", hint="--peer names the cua-driver executable")
    found = shutil.which("cua-driver")
    return named.absolute() if named is not None else Path(found) if found else None


def sample(readers: Mapping[str, Callable[[], Read]], n: int) -> dict[str, Samples]:
    """``n`` reads by each, in turns; the order is rotated from round to round. A reader that fails is left out from then on.

    Args:
        readers: By name.
        n: Reads of each after the first.
    """
    took: dict[str, list[float]] = {name: [] for name in readers}
    reads: dict[str, list[Read]] = {name: [] for name in readers}
    wrong: dict[str, str] = {}
    names = list(readers)
    for lap in range(n + 1):
        at = lap % max(1, len(names))
        for name in names[at:] + names[:at]:
            if name in wrong:
                continue
            began = time.perf_counter()
            try:
                found = readers[name]()
            except CuakitError as lost:
                wrong[name] = lost.message
                continue
            took[name].append((time.perf_counter() - began) * 1e3)
            reads[name].append(found)
    return {
        name: Samples(
            first_ms=ms[0] if ms else None, ms=tuple(ms[1:]), reads=tuple(reads[name][1:]), wrong=wrong.get(name, "")
        )
        for name, ms in took.items()
    }


def row(samples: Mapping[str, Samples]) -> dict[str, Any]:
    """One window's figures, with a prefix per reader.

    Times are medians in ms with their 95 % interval (``ms_95``) and number (``ms_n``); ``elements`` is the number
    found at the last read. Null where a reader is not there or failed; ``wrong`` then says why. ``peer_ratio`` is the
    median of the peer's time over ours in this process, ``peer_mcp_ratio`` of it over ours through a server.
    """
    out: dict[str, Any] = {}
    for prefix in (OURS, OVER_MCP, PEER):
        out |= {f"{prefix}{k}": v for k, v in _columns(samples.get(prefix, Samples())).items()}
    peer = samples.get(PEER, Samples())
    for name, prefix in (("peer_ratio", OURS), ("peer_mcp_ratio", OVER_MCP)):
        ours = samples.get(prefix, Samples())
        if peer.ms and len(peer.ms) == len(ours.ms):
            ratio = ratio_interval(peer.ms, ours.ms)
            out |= {name: round(ratio.value, 2), f"{name}_95": [round(ratio.low, 2), round(ratio.high, 2)]}
    return out


def dom_read(n: int) -> dict[str, Any]:
    """The read of a page of about 4,800 nodes, ``n`` times inside the page and ``n`` times from outside, in turns.

    Args:
        n: Reads of each kind.

    Returns:
        ``dom_ms`` and ``dom_end_to_end_ms``, each with ``_95`` and ``_n``, ``dom_nodes`` and ``dom_elements``.

    Raises:
        BackendError: No browser starts.
    """
    inside, outside = [], []
    with Browser.launch() as browser:
        page = browser.new_page(width=1280, height=800)
        page.evaluate(f"document.body.innerHTML = {LARGE_PAGE!r}; 0")
        read, shot = DomElements().bind(page), page.grab()
        for _ in range(_WARM):
            read(shot)
        found = read(shot)
        for _ in range(n):
            inside.append(float(page.evaluate(READ_IN_PAGE)))
            began = time.perf_counter()
            found = read(shot)
            outside.append((time.perf_counter() - began) * 1e3)
        nodes = page.evaluate("document.querySelectorAll('*').length")
        page.close()
    times = {"dom_ms": inside, "dom_end_to_end_ms": outside}
    return {k: v for name, ms in times.items() for k, v in _time(name, ms).items()} | {
        "dom_nodes": int(nodes),
        "dom_elements": len(found),
    }


def observe(
    readers: Mapping[str, ReaderFactory],
    *,
    n: int,
    toolkits: Sequence[str] = (),
    progress: Callable[[str, Mapping[str, Any]], object] = lambda *_: None,
) -> dict[str, Any]:
    """Read the window of each program, with the page beside.

    Args:
        readers: By prefix: :data:`OURS`, :data:`OVER_MCP`, :data:`PEER`.
        n: Reads of each window by each reader.
        toolkits: Names of :data:`~cuakit.bench.delivery_programs.PROGRAMS`; all by default.
        progress: Called with each window's name and figures.

    Returns:
        ``windows`` by toolkit (see :func:`row`), ``skipped`` with what they need, the figures of :func:`dom_read`, ``n``,
        ``notes``, ``machine`` and ``commit``.

    Raises:
        UsageError: Unknown toolkit, or no reads.
        DisplayUnavailable: There is no X server to be had.
    """
    unknown = set(toolkits) - {p.name for p in PROGRAMS}
    if unknown or n < 1:
        what = f"no toolkit {sorted(unknown)}" if unknown else f"{n} reads are none"
        raise UsageError(what, hint=f"toolkits: {', '.join(p.name for p in PROGRAMS)}; at least one read")
    windows: dict[str, Any] = {}
    for name, samples in _windows(readers, n, toolkits):
        windows[name] = row(samples)
        progress(name, windows[name])
    return {
        "windows": windows,
        "skipped": skipped(toolkits),
        **dom_read(n),
        "n": n,
        "notes": [] if PEER in readers else [GET_PEER],
        "machine": machine_card(),
        "commit": commit(),
    }


def _windows(
    readers: Mapping[str, ReaderFactory], n: int, toolkits: Sequence[str]
) -> Iterator[tuple[str, dict[str, Samples]]]:
    for program in PROGRAMS:
        if (toolkits and program.name not in toolkits) or program.missing():
            continue
        with staged(program) as stage, ExitStack() as stack:
            stage.arrange("unfocused")
            made: dict[str, Reader] = {}
            for name, make in readers.items():
                made[name] = make(stage)
                stack.callback(made[name].close)
            yield program.name, sample(made, n)


def _columns(samples: Samples) -> dict[str, Any]:
    last = samples.reads[-1] if samples.reads and not samples.wrong else None
    out = {
        **_time("ms", samples.ms if last else ()),
        "first_ms": None if samples.first_ms is None else round(samples.first_ms, 1),
        "elements": last.elements if last else None,
        "source": last.source if last else None,
        "complete": all(r.complete for r in samples.reads) if last else None,
    }
    return out | ({"wrong": samples.wrong} if samples.wrong else {})


def _time(name: str, ms: Sequence[float]) -> dict[str, Any]:
    if not ms:
        return {name: None}
    found = median_interval(ms)
    return {
        name: round(found.value, 2),
        f"{name}_95": [round(found.low, 2), round(found.high, 2)],
        f"{name}_n": found.n,
    }
