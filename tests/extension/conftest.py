"""A tiny network of our own as an extension, a publisher with keys, and a home for what is installed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cuakit.core import codec
from cuakit.extension import keys, publish, trust
from cuakit.extension.catalogue import PROTOCOL, Catalogue, Licence, Network, Release

NOW = datetime(2026, 12, 1, tzinfo=UTC)
ROWS = ((40.0, 30.0, 20.0, 10.0, 0.9), (42.0, 31.0, 20.0, 10.0, 0.8), (100.0, 60.0, 30.0, 30.0, 0.4))
"""Centre, size and score of the boxes that the network finds on any picture."""


def network(path: Path, rows: Any = ROWS) -> Path:
    """An ONNX file that answers as a detector does, whatever the picture: (1, 5, places)."""
    from onnx import TensorProto, helper, numpy_helper, save

    told = numpy_helper.from_array(np.array([rows], np.float32).transpose(0, 2, 1).copy(), "told")
    zero = numpy_helper.from_array(np.zeros((), np.float32), "zero")
    nodes = [
        helper.make_node("ReduceMean", ["images"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
        helper.make_node("Add", ["told", "nothing"], ["output0"]),
    ]
    graph = helper.make_graph(
        nodes, "toy",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, "h", "w"])],
        [helper.make_tensor_value_info("output0", TensorProto.FLOAT, [1, 5, len(rows)])],
        [told, zero],
    )  # fmt: skip
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


def release(folder: Path, **changes: Any) -> Release:
    """What is said of the files in a folder; ``extension.json`` is written there too."""
    made = Release(
        id="toy", version="1.0", title="Toy detector", protocol=PROTOCOL, targets=("any",),
        licence=Licence(spdx="AGPL-3.0-only", notice="Share alike.", source="https://example.org/toy"),
        model=Network(id="toy-net", path="model.onnx"),
        files=publish.list_files(folder, ["model.onnx", "NOTICE"]),
    )  # fmt: skip
    made = replace(made, **changes)
    (folder / "extension.json").write_text(codec.dumps(made), encoding="utf-8")
    return made


@pytest.fixture(scope="session")
def toy_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toy")
    network(folder / "model.onnx")
    (folder / "NOTICE").write_text("AGPL-3.0-only\n", encoding="utf-8")
    return folder


@pytest.fixture
def files(toy_files: Path, tmp_path: Path) -> Path:
    """A copy of the toy's files that a test may spoil."""
    folder = tmp_path / "files"
    folder.mkdir()
    for file in toy_files.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    release(folder)
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    monkeypatch.setenv("CUAKIT_EXTENSIONS", str(place))
    return place


@pytest.fixture
def acme(files: Path, home: Path) -> SimpleNamespace:
    """A publisher whose key is pinned: ``acme.catalogue(version=…, key=…, …)`` gives the path of a signed file."""
    private = keys.new_private()
    home.mkdir()
    trust.write(home, trust.Trust().pin("acme", keys.public_of(private)))

    def catalogue(
        version: int = 1, *, key: bytes = private, days: float = 90, begins: float = -1, name: str = "acme",
        change: Callable[[Release], Release] = lambda r: r, rotations: Any = (),
    ) -> Path:  # fmt: skip
        said = Catalogue(
            publisher=name,
            version=version,
            issued=(NOW + timedelta(days=begins)).isoformat(),
            expires=(NOW + timedelta(days=days)).isoformat(),
            releases=(change(release(files)),),
        )
        path = files / "catalogue.json"
        path.write_text(publish.sign_catalogue(said, key, rotations), encoding="utf-8")
        return path

    return SimpleNamespace(private=private, catalogue=catalogue, clock=lambda: NOW)


def spoiled(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """A JSON file with something changed in it."""
    data = json.loads(path.read_text("utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path
