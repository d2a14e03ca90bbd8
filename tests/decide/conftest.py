"""Small made-up screens for decider tests: ``scene.row``, ``scene.screen``, ``scene.did``."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from cuakit.core.action import Action
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.decision import Decision
from cuakit.core.geometry import Box
from cuakit.core.observation import Observation
from cuakit.core.outcome import Effect, Receipt
from cuakit.core.screenshot import Screenshot
from cuakit.core.trajectory import Step

ACTIONS = {"textbox": ("click", "type"), "combobox": ("click", "set_value")}


def row(at: int, role: str, name: str = "", **more) -> Candidate:
    top = 20 * at
    more.setdefault("actions", () if role == "text" else ACTIONS.get(role, ("click",)))
    more.setdefault("source", "dom")
    return Candidate(id=f"c{at:02d}", box=Box(0, top, 80, top + 16), role=role, name=name, reading_order=at, **more)


def screen(*rows: Candidate) -> Observation:
    shot = Screenshot(pixels=np.zeros((800, 100, 3), dtype=np.uint8), source="test")
    return Observation(screenshot=shot, candidates=Candidates(rows))


def did(
    observation: Observation, *actions: Action, refused: bool = False, effect: Effect = "unverifiable"
) -> list[Step]:
    receipt = (
        Receipt(effect="refused", code="capture_stale") if refused else Receipt(effect=effect, route="trusted_input")
    )
    return [
        Step(index=i, observation=observation, decision=Decision(outcome="act", action=a), receipt=receipt)
        for i, a in enumerate(actions)
    ]


@pytest.fixture(scope="session")
def scene() -> SimpleNamespace:
    return SimpleNamespace(row=row, screen=screen, did=did)
