"""``cuakit models``: what can be fetched, and fetching it. Nothing else downloads."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from cyclopts import App

from cuakit.cli.options import AsJson

app = App(name="models", help="Model files: what can be fetched, and fetching it.")


@app.command(name="list")
def list_(*, as_json: AsJson = False) -> None:
    """Models that can be pulled, with size, licence, and where they are when they are here.

    Args:
        as_json: One JSON object on the last line.
    """
    rows = _rows()
    if as_json:
        print(json.dumps({"models": rows}))
        return
    for row in rows:
        size = f"{row['bytes'] / 1e6:.0f} MB" if row["bytes"] else ""
        print(f"{row['name']:<20} {'here' if row['path'] else 'not here':<9} {size:>8}  {row['licence']}")


@app.command
def pull(name: str, *, mirror: str | None = None, as_json: AsJson = False) -> None:
    """Fetch a model unless it is here already. Its bytes must have the pinned digest.

    Args:
        name: One of `cuakit models list`.
        mirror: Where else it can be had: a local file, or a URL for a language model.
        as_json: One JSON object on the last line.
    """
    from cuakit.core.errors import UsageError
    from cuakit.models import gguf, minilm

    if name == "minilm":
        if mirror is not None and not Path(mirror).is_file():
            raise UsageError(f"no file at {mirror}", hint="the mirror of minilm is its wheel, as a local file")
        path = minilm.pull(mirror=Path(mirror) if mirror else None)
    else:
        if name not in gguf.MODELS:
            _unknown(name)
        model = gguf.MODELS[name]
        print(f"{name}: {model.size / 1e6:.0f} MB, {model.licence}", file=sys.stderr)
        path = gguf.pull(model, mirror=mirror)
    print(json.dumps({"name": name, "path": str(path)}) if as_json else path)


def _rows() -> list[dict[str, Any]]:
    from cuakit.models import gguf, minilm
    from cuakit.models.wheel import cache_dir

    built = cache_dir() / f"{minilm.SOURCE.package}-{minilm.SOURCE.version}" / "encoder-int8.onnx"
    here = built.is_file()
    rows: list[dict[str, Any]] = [
        {
            "name": "minilm",
            "kind": "sentence vectors",
            "bytes": built.stat().st_size if here else None,
            "licence": minilm.SOURCE.licence,
            "path": str(built) if here else "",
        }
    ]
    for model in gguf.MODELS.values():
        path = gguf.path_of(model)
        whole = path.is_file() and path.stat().st_size == model.size
        rows.append(
            {
                "name": model.name,
                "kind": "language model",
                "bytes": model.size,
                "licence": model.licence,
                "path": str(path) if whole else "",
            }
        )
    return rows


def _unknown(name: str) -> None:
    import difflib

    from cuakit.core.errors import UnknownName
    from cuakit.models import gguf

    known = ["minilm", *gguf.MODELS]
    close = difflib.get_close_matches(name, known, n=2, cutoff=0.4)
    near = f" Close: {', '.join(map(repr, close))}." if close else ""
    raise UnknownName(f"no model named {name!r}.{near}", hint=f"models: {', '.join(known)}")
