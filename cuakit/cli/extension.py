"""``cuakit extension``: parts under another licence, which are shown before they are installed and never fetched unasked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import App

from cuakit.cli.options import AsJson, Flag

if TYPE_CHECKING:
    from cuakit.extension.install import Plan

app = App(
    name="extension", help="Parts under another licence: shown first, installed when confirmed, checked at every load."
)


@app.command
def install(
    name: str,
    *,
    catalog: Path | None = None,
    source: str = "",
    developer_unsigned_local: Flag = False,
    confirm: str = "",
    accept_licence: str = "",
    as_json: AsJson = False,
) -> None:
    """Show what would be installed; install it when the plan is confirmed and its licence is accepted.

    Args:
        name: Of the extension, such as omniparser.
        catalog: Signed catalogue file.
        source: Folder, zip or mirror (https) with the files; what the catalogue names, or its own folder, by default.
        developer_unsigned_local: Take your own files from the folder --source, which nobody signed.
        confirm: The plan as the preview names it.
        accept_licence: SPDX id of the licence, when you accept it.
        as_json: One JSON object on the last line.
    """
    from cuakit.core.errors import UsageError
    from cuakit.extension import install as steps

    if developer_unsigned_local == (catalog is not None) or (developer_unsigned_local and not source):
        raise UsageError(
            "name where it comes from",
            hint="--catalog FILE for a publisher's, or --developer-unsigned-local --source FOLDER for your own",
        )
    plan = steps.plan_own(name, Path(source)) if catalog is None else steps.plan(name, catalog, source=source)
    if not confirm:
        _preview(plan, as_json=as_json)
        return
    found = steps.install(plan, confirm=confirm, accept_licence=accept_licence)
    done = {"installed": name, "version": found.release.version, "standing": found.standing, "path": str(found.folder)}
    print(json.dumps(done) if as_json else f"installed {found.sentence()}")


@app.command(name="list")
def list_(*, as_json: AsJson = False) -> None:
    """What is installed, and how far it can be trusted.

    Args:
        as_json: One JSON object on the last line.
    """
    from cuakit.extension import store

    rows = [_row(name) for name in store.names()]
    if as_json:
        print(json.dumps({"extensions": rows}))
        return
    for row in rows:
        print(f"{row['extension']:<16} {row['version']:<10} {row['licence']:<16} {row['standing']}")
    if not rows:
        print("nothing is installed")


@app.command
def status(name: str, *, self_test: Flag = False, as_json: AsJson = False) -> None:
    """Check an extension: its signature, every file, and with --self-test its worker.

    Args:
        name: Of the extension.
        self_test: Also start the worker and let it look at an empty picture.
        as_json: One JSON object on the last line.
    """
    from cuakit.extension import store

    found = store.installed(name)
    found.check_files()
    row = {**_row(name), "publisher": found.publisher, "path": str(found.folder), "files": len(found.release.files)}
    if self_test:
        row |= _self_test(name)
    if as_json:
        print(json.dumps(row))
        return
    for key, value in row.items():
        print(f"{key:<12} {', '.join(value) if isinstance(value, list) else value}")


@app.command
def remove(name: str) -> None:
    """Take an extension away. Its publisher's keys, and the newest catalogue seen, stay remembered.

    Args:
        name: Of the extension.
    """
    from cuakit.extension import store

    print(f"removed {name}" if store.remove(name) else f"{name} is not installed")


@app.command
def trust(publisher: str, key: Path, *, confirm: str = "") -> None:
    """Believe a publisher's key from now on; its successors are learned from the catalogues that it signs.

    Args:
        publisher: Name that the catalogues bear.
        key: File with the public key: 64 hex digits, or PEM.
        confirm: The key as the preview names it. Compare it with what the publisher told you by another way.
    """
    from cuakit.core.errors import UsageError
    from cuakit.extension import keys, store, trust as remembered

    try:
        public = keys.read_public(key.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as wrong:
        raise UsageError(f"{key} cannot be read: {wrong}", hint="pass the key as a file") from wrong
    if confirm != public:
        print(f"publisher {publisher}\nkey       {public}\n\nto believe it: --confirm {public}")
        return
    store.home().mkdir(parents=True, exist_ok=True)
    remembered.write(store.home(), remembered.read(store.home()).pin(publisher, public))
    print(f"{publisher} is trusted with {public}")


def _row(name: str) -> dict[str, Any]:
    """One line about an extension; what is wrong with it stands in its place."""
    from cuakit.core.errors import CuakitError
    from cuakit.extension import store

    try:
        found = store.installed(name)
    except CuakitError as wrong:
        return {"extension": name, "version": "", "licence": "", "standing": wrong.error_code}
    release = found.release
    return {
        "extension": name,
        "version": release.version,
        "licence": release.licence.spdx,
        "standing": found.standing,
    }


def _self_test(name: str) -> dict[str, Any]:
    import numpy as np

    from cuakit.extension.load import load

    running = load(name)
    try:
        found = running.worker.detect(np.full((64, 64, 3), 255, np.uint8), confidence=0.05)
        info = running.worker.info()
    finally:
        running.worker.close()
    return {"self_test": f"ok, {len(found)} boxes on nothing", "runtime": info.runtime, "sandbox": list(info.sandbox)}


def _preview(plan: Plan, *, as_json: bool) -> None:
    shown = plan.summary()
    if as_json:
        print(json.dumps(shown))
        return
    signed = f"{plan.standing}: {plan.publisher}, catalogue {plan.catalogue_version}, good until {plan.expires}"
    unsigned = f"{plan.standing}: nobody signed these files"
    print(
        f"{shown['title']} {shown['version']}\n"
        f"standing  {signed if plan.publisher else unsigned}\n"
        f"files     {', '.join(shown['files'])} ({shown['bytes'] / 1e6:.1f} MB)\n"
        f"from      {plan.source}{' (will be fetched)' if shown['fetches'] else ''}\n"
        f"licence   {shown['licence']}; source: {shown['licence_source']}\n\n{shown['notice'].strip()}\n\n"
        f"Nothing was installed. To install exactly this, if you accept the licence, add:\n"
        f"  --confirm {shown['plan']} --accept-licence {shown['licence']}"
    )
