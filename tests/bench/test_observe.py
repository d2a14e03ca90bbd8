"""Reading windows is timed in turns, and what a reader could not do is told instead of guessed."""

import json
import os
import shutil
from pathlib import Path

import pytest

from cuakit.bench.delivery_programs import PROGRAMS
from cuakit.bench.observe import (
    GET_PEER,
    OURS,
    OVER_MCP,
    PEER,
    Read,
    Samples,
    observe as measure,
    peer_executable,
    peer_read,
    row,
    sample,
)
from cuakit.cli import main
from cuakit.core.errors import BackendError, UsageError

GTK3 = next(p for p in PROGRAMS if p.name == "gtk3")


def reads(*counts):
    return tuple(Read(elements=c, source="accessibility") for c in counts)


def test_readers_take_turns_and_each_begins_as_often():
    order = []

    def reader(name):
        return lambda: order.append(name) or Read(elements=1, source="accessibility")

    found = sample({"a": reader("a"), "b": reader("b")}, 3)
    assert order == ["a", "b", "b", "a", "a", "b", "b", "a"]
    assert [len(s.ms) for s in found.values()] == [3, 3]
    assert all(s.first_ms is not None and not s.wrong for s in found.values())


def test_a_reader_that_fails_is_left_out_and_says_why():
    calls = []

    def fails():
        calls.append(1)
        raise BackendError("it hung")

    found = sample({OURS: lambda: Read(elements=2, source="accessibility"), PEER: fails}, 2)
    figures = row(found)
    assert len(calls) == 1
    assert (figures["elements"], figures["ms_n"]) == (2, 2)
    assert (figures["peer_ms"], figures["peer_elements"], figures["peer_wrong"]) == (None, None, "it hung")


def test_without_a_peer_its_columns_are_null():
    figures = row({OURS: Samples(first_ms=9.0, ms=(1.0, 2.0, 3.0), reads=reads(4, 4, 5))})
    assert (figures["ms"], figures["elements"], figures["first_ms"]) == (2.0, 5, 9.0)
    assert figures["ms_95"] == [1.0, 3.0]
    assert (figures["peer_ms"], figures["peer_elements"], figures["mcp_ms"]) == (None, None, None)
    assert "peer_ratio" not in figures


def test_ratios_are_of_reads_next_to_each_other():
    figures = row(
        {
            OURS: Samples(first_ms=1.0, ms=(1.0, 10.0), reads=reads(1, 1)),
            OVER_MCP: Samples(first_ms=1.0, ms=(4.0, 40.0), reads=reads(1, 1)),
            PEER: Samples(first_ms=1.0, ms=(2.0, 20.0), reads=reads(1, 1)),
        }
    )
    assert (figures["peer_ratio"], figures["peer_mcp_ratio"]) == (2.0, 0.5)


@pytest.mark.parametrize(
    ("state", "elements", "complete"),
    [
        ({"total_element_count": 7, "truncated": False, "elements": [{}] * 7}, 7, True),
        ({"total_element_count": 250, "truncated": True}, 250, False),
        ({"elements": [{}, {}]}, 2, True),
    ],
)
def test_the_peers_count_is_its_own_and_cuts_are_told(state, elements, complete):
    assert peer_read(state) == Read(elements=elements, source="accessibility", complete=complete)


def test_a_peer_that_is_named_must_be_there(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="no program"):
        peer_executable(tmp_path / "nobody")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert peer_executable() is None
    driver = tmp_path / "cua-driver"
    driver.write_text("#!/bin/sh\n")
    driver.chmod(0o755)
    assert peer_executable() == driver


@pytest.mark.parametrize(("toolkits", "n"), [(["motif"], 3), ([], 0)])
def test_unknown_toolkits_and_no_reads_are_sentences(toolkits, n):
    with pytest.raises(UsageError, match="gtk3"):
        measure({}, n=n, toolkits=toolkits)


@pytest.mark.x11
@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("Xvfb", "xterm", "openbox", "chromium")) or bool(GTK3.missing()),
    reason="needs Xvfb, xterm, openbox, Chromium and GTK 3",
)
def test_a_real_window_is_read_without_a_peer(capsys, monkeypatch):
    folders = [p for p in os.environ["PATH"].split(os.pathsep) if not Path(p, "cua-driver").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(folders))
    assert main(["bench", "observe", "--toolkit", "gtk3", "--n", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    window = found["windows"]["gtk3"]
    assert window["source"] == window["mcp_source"] == "accessibility"
    assert window["elements"] == window["mcp_elements"] > 4
    assert (window["ms_n"], found["n"], window["peer_ms"], window["peer_elements"]) == (2, 2, None, None)
    assert found["notes"] == [GET_PEER]
    assert 4500 < found["dom_nodes"] < 5100
    assert 0 < found["dom_ms"] < found["dom_end_to_end_ms"]
    assert found["machine"]["cpu"]
