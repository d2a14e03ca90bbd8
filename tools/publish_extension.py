"""Publish an extension: make a key, sign a folder as a catalogue, hand over to a new key.

    python tools/publish_extension.py key private.hex
    python tools/publish_extension.py sign FOLDER --key private.hex --publisher NAME --version 1 --days 90
    python tools/publish_extension.py rotate --key old.hex --new PUBLIC --publisher NAME --retires 2027-01-01T00:00:00+00:00

``sign`` reads ``FOLDER/extension.json`` (see tools/convert_omniparser.py) and writes ``FOLDER/catalogue.json``; ``--rotations``
takes what ``rotate`` printed, the oldest first. Keep private keys off machines that others use.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cuakit.core import codec
from cuakit.extension import keys, publish
from cuakit.extension.catalogue import Catalogue, Release, parse
from cuakit.extension.signed import Signed


def make_key(given: argparse.Namespace) -> None:
    """Write a private key for its owner alone, and print the public one."""
    private = keys.new_private()
    given.file.touch(mode=0o600, exist_ok=False)
    given.file.write_text(private.hex() + "\n", encoding="utf-8")
    print(keys.public_of(private))


def sign(given: argparse.Namespace) -> None:
    """Sign the release in a folder, after comparing its files with their list."""
    release: Release = parse(Release, (given.folder / "extension.json").read_bytes())
    if publish.list_files(given.folder, [f.path for f in release.files]) != release.files:
        raise SystemExit("the files are not those that extension.json lists")
    now = datetime.now(UTC)
    catalogue = Catalogue(
        publisher=given.publisher,
        version=given.version,
        issued=now.isoformat(),
        expires=(now + timedelta(days=given.days)).isoformat(),
        releases=(release,),
    )
    rotations = [parse(Signed, p.read_bytes()) for p in given.rotations]
    text = publish.sign_catalogue(catalogue, _private(given.key), rotations)
    (given.folder / "catalogue.json").write_text(text, encoding="utf-8")
    print(given.folder / "catalogue.json")


def rotate(given: argparse.Namespace) -> None:
    """Print a rotation."""
    print(codec.dumps(publish.rotate(given.publisher, _private(given.key), given.new, retires=given.retires)))


def _private(file: Path) -> bytes:
    return bytes.fromhex(file.read_text(encoding="utf-8"))


def main() -> None:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("key")
    one.add_argument("file", type=Path)
    one.set_defaults(run=make_key)
    two = commands.add_parser("sign")
    two.add_argument("folder", type=Path)
    two.add_argument("--version", type=int, required=True)
    two.add_argument("--days", type=int, default=90)
    two.add_argument("--rotations", type=Path, nargs="*", default=[])
    two.set_defaults(run=sign)
    three = commands.add_parser("rotate")
    three.add_argument("--new", required=True)
    three.add_argument("--retires", default="")
    three.set_defaults(run=rotate)
    for command in (two, three):
        command.add_argument("--key", type=Path, required=True)
        command.add_argument("--publisher", required=True)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
