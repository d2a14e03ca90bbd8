"""The ledger keeps what it was given, through kills, torn writes, full disks and second writers."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cuakit.core.errors import RecordError
from cuakit.record.ledger import Ledger, encode, read

pytestmark = pytest.mark.processes

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
rows = st.lists(st.dictionaries(st.from_regex(r"[a-z]\w*", fullmatch=True), json_values, max_size=5), max_size=6)


def write(path: Path, count: int) -> list[dict]:
    made = [{"kind": "x", "value": i, "text": "ü\n" * i} for i in range(count)]
    with Ledger(path) as ledger:
        for row in made:
            ledger.append(row)
    return made


def child(code: str, *args: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@given(rows)
def test_what_goes_in_comes_out(tmp_path_factory, given_rows):
    path = tmp_path_factory.mktemp("ledger") / "ledger.jsonl"
    with Ledger(path) as ledger:
        for row in given_rows:
            ledger.append(row, sync=False)
    assert list(read(path)) == given_rows


def test_numbers_go_on_after_reopening(tmp_path):
    path = tmp_path / "a" / "ledger.jsonl"
    first, second = write(path, 3), write(path, 2)
    assert list(read(path)) == first + second
    starts = [line.split(b",")[0] for line in path.read_bytes().splitlines()]
    assert starts == [b'{"_n":%d' % i for i in range(5)]


@pytest.mark.parametrize("cut", [1, 2, 10, 40], ids=["newline lost", "brace lost", "half lost", "almost all lost"])
def test_a_torn_tail_is_moved_aside_and_the_rest_kept(tmp_path, cut):
    path = tmp_path / "ledger.jsonl"
    made = write(path, 4)
    whole = path.read_bytes()
    lost = whole[whole.rstrip(b"\n").rfind(b"\n") + 1 : -cut]
    path.write_bytes(whole[:-cut])
    assert list(read(path)) == made[:3], "a reader in the meantime sees the good rows"
    with Ledger(path) as ledger:
        assert ledger.torn == len(lost)
        ledger.append({"kind": "after"})
    assert list(read(path)) == [*made[:3], {"kind": "after"}]
    assert (tmp_path / "ledger.jsonl.torn").read_bytes() == lost + b"\n"


@pytest.mark.parametrize(
    "junk", [b"\0" * 4096, b"{}\n", b"hello\nworld\n", b"\xff\xfe\n", b'{"_n":4,"_sum":"0123456789abcdef"}\n']
)
def test_junk_at_the_end_is_a_torn_tail(tmp_path, junk):
    path = tmp_path / "ledger.jsonl"
    made = write(path, 4)
    with path.open("ab") as file:
        file.write(junk)
    with Ledger(path) as ledger:
        assert ledger.torn == len(junk)
    assert list(read(path)) == made
    assert junk.rstrip(b"\n") in (tmp_path / "ledger.jsonl.torn").read_bytes()


@given(st.data())
def test_no_single_changed_byte_goes_unnoticed(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("ledger") / "ledger.jsonl"
    made = write(path, 3)
    whole = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    path.write_bytes(whole)
    try:
        left = list(read(path))
    except RecordError:
        return
    assert left == made[: len(left)]
    assert len(left) < 3


def test_damage_before_good_lines_is_named_and_nothing_is_touched(tmp_path):
    path = tmp_path / "ledger.jsonl"
    write(path, 4)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"value":1', b'"value":7')
    path.write_bytes(b"".join(lines))
    before = path.read_bytes()
    with pytest.raises(RecordError, match="line 2 is damaged") as told:
        Ledger(path)
    assert told.value.error_code == "ledger_damaged"
    assert path.read_bytes() == before


def test_a_doubled_line_is_noticed(tmp_path):
    path = tmp_path / "ledger.jsonl"
    write(path, 2)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, lines[1]]))
    with pytest.raises(RecordError, match="repeats number 1"):
        list(read(path))


def test_a_second_writer_is_refused_and_the_lock_dies_with_its_holder(tmp_path):
    path = tmp_path / "ledger.jsonl"
    holder = child(
        """
        import sys
        from pathlib import Path
        from cuakit.record.ledger import Ledger
        ledger = Ledger(Path(sys.argv[1]))
        ledger.append({"kind": "held"}, sync=False)
        print("ready", flush=True)
        sys.stdin.read()
        """,
        path,
    )
    try:
        assert holder.stdout.readline() == "ready\n"
        with pytest.raises(RecordError, match="another runner") as told:
            Ledger(path)
        assert told.value.error_code == "ledger_locked"
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with Ledger(path) as ledger:
            ledger.append({"kind": "mine"})
        assert list(read(path)) == [{"kind": "held"}, {"kind": "mine"}]
    finally:
        holder.kill()
        holder.communicate()


def test_a_full_disk_leaves_the_ledger_as_it_was(tmp_path):
    path = tmp_path / "ledger.jsonl"
    write(path, 1)
    limit = path.stat().st_size + 300
    code = """
        import resource, sys
        from pathlib import Path
        from cuakit.core.errors import RecordError
        from cuakit.record.ledger import Ledger
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
        with Ledger(Path(sys.argv[1])) as ledger:
            ledger.append({"kind": "fits"})
            try:
                ledger.append({"kind": "large", "text": "x" * 1000})
            except RecordError as told:
                print(told.error_code, flush=True)
            ledger.append({"kind": "fits"})
        """
    run = child(code, path, limit)
    out, _ = run.communicate()
    assert (run.returncode, out) == (0, "disk_full\n")
    assert [r["kind"] for r in read(path)] == ["x", "fits", "fits"]
    assert not (tmp_path / "ledger.jsonl.torn").exists()


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounting a small disk needs root on Linux")
def test_a_really_full_disk_leaves_the_ledger_as_it_was(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        path, kept = disk / "ledger.jsonl", 0
        with Ledger(path) as ledger:
            with pytest.raises(RecordError, match="no room left") as told:  # noqa: PT012 - it is the loop that fills it
                while kept < 1000:
                    ledger.append({"kind": "x", "text": "y" * 3000})
                    kept += 1
            assert told.value.error_code == "disk_full"
            assert "same --out" in told.value.hint
            assert path.read_bytes().endswith(b"\n")
        assert len(list(read(path))) == kept > 5
    finally:
        subprocess.run(["umount", disk], check=True)


def test_kill_at_any_moment_loses_no_row_that_was_reported(tmp_path):
    path = tmp_path / "ledger.jsonl"
    code = """
        import sys
        from pathlib import Path
        from cuakit.record.ledger import Ledger
        with Ledger(Path(sys.argv[1])) as ledger:
            for i in range(10**9):
                ledger.append({"kind": "x", "i": i, "text": "y" * (i * 37 % 3000)}, sync=False)
                print(i, flush=True)
        """
    run = child(code, path)
    try:
        reported = -1
        while reported < 200:
            reported = int(run.stdout.readline())
    finally:
        run.kill()
        rest = run.communicate()[0].split("\n")[:-1]
    reported = int(rest[-1]) if rest else reported
    with Ledger(path):
        pass
    found = [r["i"] for r in read(path)]
    assert found == list(range(len(found)))
    assert len(found) > reported


@pytest.mark.parametrize("row", [{"Kind": 1}, {"_n": 1}, {"": 1}, {"1": 1}])
def test_keys_that_would_come_before_the_ledgers_own_are_refused(row):
    with pytest.raises(ValueError, match="small letter"):
        encode(row, 0)


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match="cannot be written"):
        Ledger(tmp_path / "file" / "ledger.jsonl")
    with pytest.raises(RecordError, match="cannot be read"):
        list(read(tmp_path / "nothing.jsonl"))
