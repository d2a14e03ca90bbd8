"""What an action came to, judged from the observations before and after it. Pure: nothing is looked at again.

Only evidence confirms. A page that moves by itself can look like an effect, so a change of pixels counts only where the
action was, unless nothing tells where that is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, overload

import numpy as np

from cuakit.core.action import Action
from cuakit.core.candidate import Candidate
from cuakit.core.geometry import Box
from cuakit.core.observation import Observation
from cuakit.core.outcome import Escalation, Evidence, Receipt

LEVEL: Final = 24
"""Levels of 255 by which a pixel must move to count; arc-cua's pixel probe."""

SHARE: Final = 0.002
"""Share of a frame's pixels that must move to count; arc-cua's pixel probe."""


@overload
def judge(before: Observation, after: Observation, receipt: Receipt, *, action: Action | None = None) -> Receipt: ...
@overload
def judge(before: Observation, after: Observation, receipt: None, *, action: Action | None = None) -> None: ...
def judge(
    before: Observation, after: Observation, receipt: Receipt | None, *, action: Action | None = None
) -> Receipt | None:
    """A receipt, settled as far as two observations can settle it.

    ``refused``, ``confirmed`` and ``partial`` stay. ``unverifiable`` and ``suspected_noop`` become ``confirmed`` when the
    target was replaced, its objects changed, or the pixels of what was acted on changed; ``unverifiable`` becomes
    ``suspected_noop`` when neither pixels nor objects differ at all.

    Args:
        before: What the decision was made on.
        after: What was seen once things had settled.
        receipt: What the actor said; None stays None.
        action: The action, which tells where to look.
    """
    if receipt is None or receipt.effect not in ("unverifiable", "suspected_noop") or receipt.route == "none":
        return receipt
    proof = (*_replaced(before, after), *_objects(before, after), *_pixels(before, after, action))
    if proof:
        return replace(receipt, effect="confirmed", evidence=proof, escalation=None)
    if receipt.effect == "unverifiable" and before.screenshot.digest == after.screenshot.digest:
        return replace(
            receipt,
            effect="suspected_noop",
            message=receipt.message or "nothing looks different",
            escalation=Escalation(target="reobserve", reason="suspected_noop"),
        )
    return receipt


def _replaced(before: Observation, after: Observation) -> Iterable[Evidence]:
    if before.target != after.target:
        yield Evidence(kind="window_change", detail=f"{after.target.kind} was replaced")
    elif before.title != after.title:
        yield Evidence(kind="window_change", detail="the title changed")


def _facts(candidate: Candidate) -> tuple[object, ...]:
    return candidate.role, candidate.label, candidate.value, candidate.states


def _objects(before: Observation, after: Observation) -> Iterable[Evidence]:
    old, new = Counter(map(_facts, before.candidates)), Counter(map(_facts, after.candidates))
    came, went = (new - old).total(), (old - new).total()
    if came or went:
        yield Evidence(kind="tree_change", detail=f"{came} objects came or changed, {went} went")


def _pixels(before: Observation, after: Observation, action: Action | None) -> Iterable[Evidence]:
    old, new = before.screenshot, after.screenshot
    if old.digest == new.digest:
        return
    if old.size != new.size:
        yield Evidence(kind="window_change", detail=f"the frame was {old.size} and is now {new.size}")
        return
    ids = [getattr(action, name, "") for name in ("target", "to")]
    places = [c.box for id in ids if id and (c := before.candidates.get(id)) is not None]
    for place in places or [Box(0, 0, *old.size)]:
        was, now = old.crop(place), new.crop(place)
        moved = np.abs(was.astype(np.int16) - now).max(axis=2) > LEVEL if was.size else np.zeros((1, 1), np.bool_)
        share = float(moved.mean())
        if share >= SHARE:
            where = "the target's" if places else "the frame's"
            yield Evidence(kind="pixel_change", detail=f"{share:.1%} of {where} pixels changed")
            return
