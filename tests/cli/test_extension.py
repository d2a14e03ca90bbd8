"""``cuakit extension``, as a user goes through it."""

import json

import pytest

from cuakit.cli import main
from cuakit.extension import keys
from tests.extension.conftest import acme as _acme, files as _files, home as _home, toy_files as _toy

acme, files, home, toy_files = _acme, _files, _home, _toy

pytestmark = pytest.mark.processes


def run(capsys, *words) -> tuple[int, str]:
    try:
        status = main(["extension", *map(str, words)])
    except SystemExit as ended:
        status = ended.code or 0
    told = capsys.readouterr()
    return status or 0, told.out + told.err


def test_from_the_publishers_key_to_a_worker_that_answers_and_away_again(acme, files, home, tmp_path, capsys):
    (home / "trust.json").unlink()
    key = tmp_path / "key.hex"
    key.write_text(keys.public_of(acme.private))
    catalogue = acme.catalogue(days=40_000)  # the command looks at the real clock
    status, told = run(capsys, "install", "toy", "--catalog", catalogue)
    assert (status != 0, "publisher_unknown" in told or "no key of publisher" in told) == (True, True)

    _, told = run(capsys, "trust", "acme", key)
    public = keys.public_of(acme.private)
    assert f"--confirm {public}" in told
    assert not (home / "trust.json").exists()
    run(capsys, "trust", "acme", key, "--confirm", public)

    status, told = run(capsys, "install", "toy", "--catalog", catalogue)
    assert status == 0
    assert "Nothing was installed" in told
    assert "Share alike." in told
    _, told = run(capsys, "install", "toy", "--catalog", catalogue, "--json")
    plan = json.loads(told.splitlines()[-1])["plan"]
    status, told = run(capsys, "install", "toy", "--catalog", catalogue, "--confirm", plan)
    assert status != 0
    assert "--accept-licence AGPL-3.0-only" in told
    status, told = run(
        capsys, "install", "toy", "--catalog", catalogue, "--confirm", plan, "--accept-licence", "AGPL-3.0-only"
    )
    assert status == 0
    assert "publisher-verified, acme" in told

    _, told = run(capsys, "list", "--json")
    assert json.loads(told.splitlines()[-1])["extensions"] == [
        {"extension": "toy", "version": "1.0", "licence": "AGPL-3.0-only", "standing": "publisher-verified"}
    ]
    status, told = run(capsys, "status", "toy", "--self-test", "--json")
    assert status == 0
    assert json.loads(told.splitlines()[-1])["self_test"].startswith("ok")
    assert run(capsys, "remove", "toy")[1].strip() == "removed toy"
    assert run(capsys, "remove", "toy")[1].strip() == "toy is not installed"
    assert run(capsys, "list")[1].strip() == "nothing is installed"


@pytest.mark.parametrize(
    "words",
    [
        ("install", "toy"),
        ("install", "toy", "--developer-unsigned-local"),
        ("status", "toy"),
        ("trust", "acme", "/no/key"),
    ],
)
def test_what_is_missing_is_said_and_no_traceback(home, capsys, words):
    status, told = run(capsys, *words)
    assert status != 0
    assert "Traceback" not in told
    assert told.strip()
