"""Whose word counts: signatures, keys that come and go, and catalogues that only get newer."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, strategies as st

from cuakit.core.errors import UsageError
from cuakit.extension import keys, publish
from cuakit.extension.errors import ExtensionError
from cuakit.extension.install import install, plan
from cuakit.extension.signed import authentic, fresh, open_envelope
from cuakit.extension.trust import Trust, read
from tests.extension.conftest import NOW, spoiled


def refused(code, acme, path, **options):
    with pytest.raises(ExtensionError) as told:
        plan("toy", path, **({"clock": acme.clock} | options))
    assert told.value.error_code == code, told.value
    assert told.value.hint


def put_in_place(acme, path):
    made = plan("toy", path, clock=acme.clock)
    return install(made, confirm=made.digest, accept_licence="AGPL-3.0-only", clock=acme.clock)


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("publisher_unknown", {"name": "stranger"}),
        ("publisher_unknown", {"key": b"k" * 32}),
        ("catalogue_expired", {"days": 0}),
        ("catalogue_invalid", {"begins": 1}),
        ("target_mismatch", {"change": lambda r: replace(r, targets=("plan9-vax",))}),
        ("incompatible_protocol", {"change": lambda r: replace(r, protocol="cuakit-extension/99")}),
        ("catalogue_invalid", {"change": lambda r: replace(r, id="other")}),
    ],
)
def test_a_catalogue_that_does_not_count_is_refused_with_its_code(acme, code, options):
    refused(code, acme, acme.catalogue(**options))


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["catalogue"].update(text=d["catalogue"]["text"].replace("1.0", "6.6")),
        lambda d: d["catalogue"].update(text=d["catalogue"]["text"] + " "),
        lambda d: d["catalogue"].update(signature="A" * 88),
        lambda d: d["catalogue"].update(signature="no base64"),
    ],
)
def test_one_changed_character_is_enough(acme, change):
    refused("signature_invalid", acme, spoiled(acme.catalogue(), change))


@pytest.mark.parametrize(
    "change", [lambda d: d.update(algorithm="none"), lambda d: d.update(more=1), lambda d: d.pop("catalogue")]
)
def test_another_form_is_no_catalogue(acme, change):
    refused("catalogue_invalid", acme, spoiled(acme.catalogue(), change))


def test_no_json_and_no_file_are_said(acme, tmp_path):
    (tmp_path / "x").write_bytes(b"\x00" * 40)
    refused("catalogue_invalid", acme, tmp_path / "x")
    (tmp_path / "huge").write_bytes(b" " * (2 << 20))
    refused("catalogue_invalid", acme, tmp_path / "huge")
    with pytest.raises(UsageError, match="cannot be read"):
        plan("toy", tmp_path / "none")


def test_after_a_newer_catalogue_an_older_one_is_refused_and_a_twin_too(acme, home):
    put_in_place(acme, acme.catalogue(version=5))
    refused("catalogue_older", acme, acme.catalogue(version=4))
    refused("catalogue_conflict", acme, acme.catalogue(version=5, days=91))
    put_in_place(acme, acme.catalogue(version=6))
    assert read(home).publisher("acme").newest == 6


def test_looking_teaches_nothing(acme, home):
    before = (home / "trust.json").read_bytes()
    plan("toy", acme.catalogue(version=9), clock=acme.clock)
    assert (home / "trust.json").read_bytes() == before
    assert sorted(p.name for p in home.iterdir()) == ["trust.json"]


def handed_over(old, new, **options):
    return publish.rotate("acme", old, keys.public_of(new), since=NOW - timedelta(days=1), **options)


def test_a_key_hands_over_to_the_next_and_that_one_to_a_third(acme):
    second, third = keys.new_private(), keys.new_private()
    chain = [handed_over(acme.private, second), handed_over(second, third)]
    assert put_in_place(acme, acme.catalogue(key=third, rotations=chain)).publisher == "acme"
    refused("publisher_unknown", acme, acme.catalogue(version=2, key=keys.new_private()))
    put_in_place(acme, acme.catalogue(version=2, key=third))  # what was learned is remembered


def test_a_key_that_is_not_valid_yet_or_any_more_signs_nothing(acme):
    second = keys.new_private()
    later = publish.rotate("acme", acme.private, keys.public_of(second), since=NOW + timedelta(days=1))
    refused("signature_invalid", acme, acme.catalogue(key=second, rotations=[later]))
    gone = handed_over(acme.private, second, retires=(NOW - timedelta(hours=1)).isoformat())
    refused("signature_invalid", acme, acme.catalogue(rotations=[gone]))


def test_a_key_that_was_given_up_introduces_nobody(acme):
    second, thief = keys.new_private(), keys.new_private()
    gone = handed_over(acme.private, second, retires=(NOW - timedelta(hours=1)).isoformat())
    put_in_place(acme, acme.catalogue(key=second, rotations=[gone]))
    stolen = handed_over(acme.private, thief)
    refused("signature_invalid", acme, acme.catalogue(version=2, key=thief, rotations=[stolen]))
    refused("signature_invalid", acme, acme.catalogue(version=2, key=thief, rotations=[gone, stolen]))


def test_a_rotation_by_a_stranger_or_for_another_publisher_is_refused(acme):
    new = keys.new_private()
    refused("signature_invalid", acme, acme.catalogue(key=new, rotations=[handed_over(keys.new_private(), new)]))
    other = publish.rotate("umbrella", acme.private, keys.public_of(new), since=NOW - timedelta(days=1))
    refused("signature_invalid", acme, acme.catalogue(key=new, rotations=[other]))


def test_a_signature_for_one_kind_of_text_is_none_for_another(acme):
    text = "the same text"
    signature = keys.sign("rotation", text, acme.private)
    public = keys.public_of(acme.private)
    assert keys.is_signed("rotation", text, signature, public)
    assert not keys.is_signed("catalogue", text, signature, public)


@given(st.binary(max_size=300))
def test_whatever_bytes_come_they_are_refused(data):
    with pytest.raises(ExtensionError, match=r"."):
        authentic(open_envelope(data), Trust(), NOW)


def test_time_alone_does_not_undo_what_is_installed_but_nothing_new_comes_in(acme):
    path = acme.catalogue(days=1)
    put_in_place(acme, path)
    envelope, later = open_envelope(path.read_bytes()), NOW + timedelta(days=400)
    authentic(envelope, Trust().pin("acme", keys.public_of(acme.private)), later)
    with pytest.raises(ExtensionError) as told:
        fresh(envelope, Trust().pin("acme", keys.public_of(acme.private)), later)
    assert told.value.error_code == "catalogue_expired"


@pytest.mark.parametrize("text", ["", "zz", "ab" * 31, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
def test_what_is_no_key_is_said(text):
    with pytest.raises(UsageError, match=r"no public key|no Ed25519"):
        keys.read_public(text)
