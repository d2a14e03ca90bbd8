"""Nothing comes in that was not signed, shown and accepted; what is in place is whole, and is checked again at each load."""

import json
import os
import urllib.request
import zipfile
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cuakit.backends.static import StaticServer
from cuakit.core.errors import UsageError
from cuakit.extension import install as steps, keys, store
from cuakit.extension.catalogue import File, is_inside
from cuakit.extension.errors import ExtensionError
from cuakit.extension.load import load
from tests.extension.conftest import NOW, release, spoiled

ACCEPT = "AGPL-3.0-only"


def put(plan, clock=lambda: NOW):
    return steps.install(plan, confirm=plan.digest, accept_licence=ACCEPT, clock=clock)


def refusal(code, action, *args, **options):
    with pytest.raises(ExtensionError) as told:
        action(*args, **options)
    assert told.value.error_code == code, told.value
    return told.value


@pytest.fixture
def signed_plan(acme):
    def make(source="", **options):
        return steps.plan("toy", acme.catalogue(**options), source=source, clock=acme.clock)

    return make


def test_the_preview_says_everything_and_does_nothing(signed_plan, home):
    shown = signed_plan().summary()
    assert shown["standing"] == "publisher-verified"
    assert (shown["publisher"], shown["licence"], shown["notice"]) == ("acme", ACCEPT, "Share alike.")
    assert shown["files"] == ["model.onnx", "NOTICE"]
    assert store.names() == ()
    refusal("not_installed", store.installed, "toy")


def test_confirmed_and_accepted_it_is_in_place_with_its_origin(signed_plan):
    found = put(signed_plan())
    assert (found.standing, found.publisher) == ("publisher-verified", "acme")
    assert store.names() == ("toy",)
    found.check_files()
    assert store.installed("toy").folder == found.folder


@pytest.mark.parametrize(
    ("confirm", "accept", "code"),
    [
        ("", ACCEPT, "plan_changed"),
        ("0" * 16, ACCEPT, "plan_changed"),
        (None, "MIT", "licence_not_accepted"),
        (None, "", "licence_not_accepted"),
    ],
)
def test_without_the_users_word_nothing_happens(signed_plan, confirm, accept, code):
    plan = signed_plan()
    refusal(
        code,
        steps.install,
        plan,
        confirm=plan.digest if confirm is None else confirm,
        accept_licence=accept,
        clock=lambda: NOW,
    )
    assert store.names() == ()


def test_what_was_confirmed_is_what_is_installed(signed_plan):
    shown, other = signed_plan(), signed_plan(version=2, change=lambda r: replace(r, version="2.0"))
    refusal("plan_changed", steps.install, other, confirm=shown.digest, accept_licence=ACCEPT, clock=lambda: NOW)


def test_a_catalogue_that_expires_between_preview_and_confirmation_is_refused(signed_plan):
    from datetime import timedelta

    refusal("catalogue_expired", put, signed_plan(days=1), clock=lambda: NOW + timedelta(days=2))


def packed(files, path, *more):
    with zipfile.ZipFile(path, "w") as out:
        for name in ("model.onnx", "NOTICE"):
            out.write(files / name, name)
        for name in more:
            out.writestr(name, "x")
    return str(path)


@pytest.mark.parametrize("kind", ["folder", "zip", "mirror", "zip on a mirror"])
def test_files_come_from_wherever_the_user_has_them(signed_plan, files, tmp_path, kind):
    archive = packed(files, tmp_path / "toy.zip")
    with StaticServer(tmp_path) as server:
        source = {
            "folder": str(files),
            "zip": archive,
            "mirror": server.url_for("files"),
            "zip on a mirror": server.url_for("toy.zip"),
        }[kind]
        put(signed_plan(source)).check_files()


@pytest.mark.parametrize("name", ["../outside", "/etc/x", "a/../../x", "C:/x", "a\\..\\x"])
def test_a_zip_with_a_path_outside_is_refused_as_a_whole(signed_plan, files, tmp_path, name):
    refusal("artifact_invalid", put, signed_plan(packed(files, tmp_path / "evil.zip", name)))
    assert store.names() == ()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda f: f.write_bytes(f.read_bytes()[:-1] + b"!"),
        lambda f: f.write_bytes(f.read_bytes() + b"!"),
        lambda f: f.write_bytes(f.read_bytes()[:-1]),
        lambda f: f.unlink(),
        lambda f: (f.unlink(), f.mkdir()),
        lambda f: (f.rename(f.parent.parent / "elsewhere"), f.symlink_to(f.parent.parent / "elsewhere")),
    ],
    ids=["other byte", "longer", "shorter", "missing", "a folder", "a link out"],
)
def test_other_bytes_than_signed_never_come_in_and_the_old_ones_stay(signed_plan, files, spoil):
    before = put(signed_plan())
    plan = signed_plan(version=2)
    spoil(files / "model.onnx")
    refusal("artifact_invalid", put, plan)
    assert store.installed("toy").folder == before.folder
    before.check_files()


@pytest.mark.parametrize("url", ["http://example.org/toy", "file:///etc", "ftp://example.org/toy"])
def test_only_https_or_this_machine(signed_plan, url):
    refusal("fetch_failed", put, signed_plan(url))


def test_a_mirror_without_the_file_is_said(signed_plan, tmp_path):
    with StaticServer(tmp_path) as server:
        assert refusal("fetch_failed", put, signed_plan(server.url_for("nothing"))).is_retryable


def test_nothing_is_fetched_by_itself(home, monkeypatch):
    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: pytest.fail("it went to the network"))
    told = refusal("not_installed", load, "omniparser")
    assert "cuakit extension install omniparser" in told.hint
    assert not home.exists()


@pytest.mark.parametrize("file", ["model.onnx", "NOTICE"])
def test_what_was_changed_after_the_installation_is_not_loaded(signed_plan, file):
    found = put(signed_plan())
    (found.folder / file).write_bytes(b"other")
    refusal("artifact_invalid", found.check_files)

    def ask():
        load("toy").worker.info()

    refusal("artifact_invalid", ask)


def test_a_record_of_another_origin_does_not_count(signed_plan):
    found = put(signed_plan())
    spoiled(found.folder / store.RECORD, lambda d: d["envelope"]["catalogue"].update(signature="A" * 88))
    refusal("signature_invalid", store.installed, "toy")
    spoiled(found.folder / store.RECORD, lambda d: d.update(standing="publisher-verified"))
    refusal("catalogue_invalid", store.installed, "toy")


def test_a_publisher_that_is_believed_no_more_takes_its_extensions_along(signed_plan, home):
    put(signed_plan())
    (home / "trust.json").unlink()
    refusal("publisher_unknown", store.installed, "toy")


def test_a_damaged_memory_is_not_begun_anew(signed_plan, home):
    plan = signed_plan()
    (home / "trust.json").write_text("{", encoding="utf-8")
    refusal("trust_damaged", put, plan)


def test_ones_own_files_are_told_from_a_publishers(files, home):
    found = put(steps.plan_own("toy", files))
    assert (found.standing, found.publisher) == ("developer-unsigned-local", "")
    assert "developer-unsigned-local" in found.sentence()
    assert store.installed("toy").standing == "developer-unsigned-local"


def test_a_pointer_that_leads_away_is_refused(signed_plan, home):
    put(signed_plan())
    (home / "toy" / "current").write_text("../..", encoding="utf-8")
    refusal("artifact_invalid", store.installed, "toy")


@pytest.mark.parametrize("id", ["../toy", "/toy", "", ".", "toy/x"])
def test_names_of_extensions_are_no_paths(home, tmp_path, id):
    (tmp_path / "toy").mkdir()
    refusal("not_installed", store.installed, id)
    assert store.remove(id) is False
    assert (tmp_path / "toy").is_dir()


def test_only_the_newest_is_kept_and_removal_leaves_the_memory(signed_plan, home):
    first = put(signed_plan())
    second = put(signed_plan(version=2))
    assert not first.folder.exists()
    assert second.folder.exists()
    assert sorted(p.name for p in (home / "toy").iterdir()) == sorted(["current", second.folder.name])
    assert store.remove("toy") is True
    assert store.names() == ()
    assert json.loads((home / "trust.json").read_text("utf-8"))["publishers"]["acme"]["newest"] == 2


@given(st.text(max_size=30))
def test_a_path_that_counts_as_inside_stays_inside(path):
    if is_inside(path):
        full = os.path.normpath(f"/some/folder/{path}")
        assert full.startswith("/some/folder/")


@pytest.mark.parametrize("change", [{"path": "../x"}, {"sha256": "0"}, {"size": -1}, {"size": 5 << 30}])
def test_a_list_with_an_impossible_file_is_none(change):
    with pytest.raises(ValueError, match=r"path|sha256|size"):
        File(**({"path": "x", "size": 1, "sha256": "0" * 64} | change))


@pytest.mark.parametrize("id", ["trust.json", ".lock", "..", "Toy", "a/b", ""])
def test_an_extension_cannot_take_the_place_of_what_lies_beside_it(files, home, id):
    spoiled(files / "extension.json", lambda d: d.update(id=id))
    refusal("catalogue_invalid", steps.plan_own, id, files)


def test_two_files_of_one_name_are_refused(files, home):
    twice = release(files).files[:1] * 2
    spoiled(files / "extension.json", lambda d: d.update(files=[f | {} for f in d["files"][:1] * 2]))
    assert len(twice) == 2
    refusal("catalogue_invalid", steps.plan_own, "toy", files)


def test_a_key_file_as_a_person_has_it(acme, tmp_path):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    public = Ed25519PrivateKey.from_private_bytes(acme.private).public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    assert (
        keys.read_public(pem) == keys.read_public(keys.public_of(acme.private).upper()) == keys.public_of(acme.private)
    )
    with pytest.raises(UsageError):
        keys.read_public(pem[:40])
