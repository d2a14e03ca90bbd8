"""Everything that must hold before input is injected, in one order, spending nothing.

The capture can pay, the live target is the captured one, the candidate is in the captured table, its point lies in the
frame, and the pixels under it still look as they did. There is no way around it: an action holds no coordinate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cuakit.act import context, guard
from cuakit.act.broker import CaptureBroker
from cuakit.core.action import Action, Drag, Fraction, Hotkey, PressKey, Wait
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import LeaseError
from cuakit.core.geometry import Box, Point
from cuakit.core.lease import Capture, Leases, Target
from cuakit.core.risk import consequences
from cuakit.core.screenshot import Screenshot
from cuakit.core.stages import Surface


class StillThere(Protocol):
    """Second opinion of a surface that knows its own objects."""

    def __call__(self, candidate: Candidate, point: Point, /, *, focused: bool = False) -> None:
        """Let a candidate pass.

        Args:
            candidate: As it was observed.
            point: Where input will go, in input space.
            focused: Whether it must have the keyboard as well.

        Raises:
            LeaseError: It is not the same object any more, or something covers it, or the keyboard went elsewhere.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One place that an action touches.

    Args:
        candidate: What is there.
        point: In physical pixels of the frame.
        input: The same in the surface's input space.
    """

    candidate: Candidate
    point: Point
    input: Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """A checked action.

    Args:
        capture: The lease that is to pay.
        target: The live target, as compared.
        size: Its live frame size.
        marks: Places in the order of the action; none for keys without a target.
    """

    capture: Capture
    target: Target
    size: tuple[int, int]
    marks: tuple[Mark, ...] = ()


def take_aim(
    surface: Surface,
    broker: CaptureBroker,
    action: Action,
    capture_id: str,
    *,
    limits: guard.Limits | None,
    still_there: StillThere | None = None,
    consent: frozenset[str] | None = None,
) -> Aim:
    """Check an action against its lease and the live surface.

    Args:
        surface: What will be acted on.
        broker: Issued the capture.
        action: Names candidates of that capture.
        capture_id: The lease.
        limits: Tolerances of the content guard; None leaves it out, for measuring what it is worth.
        still_there: Second opinion on a candidate's identity.
        consent: Kinds of risk that may be taken; None where whoever calls answers for it.

    Raises:
        LeaseError: The first thing that does not hold. The capture is unspent.
        BackendError: The surface cannot be read.
    """
    capture = broker.check(capture_id)
    target, size = surface.target(), surface.size()
    Leases.match(capture, target, size)
    shot, candidates = broker.recall(capture_id)
    if consent is not None and (risky := consequences(action, candidates) - consent):
        raise LeaseError(
            "consent_required", f"{action.kind} would {' and '.join(sorted(risky))}, which nobody consented to"
        )
    marks = tuple(_mark(shot, _find(candidates, id, capture_id), at) for id, at in _ends(action))
    watched = marks or _keyboard(action, shot, candidates)
    if limits is not None and watched:
        _guard(surface, shot, candidates, watched, limits)
    if still_there is not None:
        for mark in watched:
            still_there(mark.candidate, mark.input, focused=not marks)
    return Aim(capture=capture, target=target, size=size, marks=marks)


def _ends(action: Action) -> Sequence[tuple[str, Fraction | None]]:
    if isinstance(action, Wait):
        return ()
    if isinstance(action, Drag):
        return ((action.target, action.at), (action.to, action.to_at))
    return ((action.target, getattr(action, "at", None)),) if action.target else ()


def _keyboard(action: Action, shot: Screenshot, candidates: Candidates) -> tuple[Mark, ...]:
    """What had the keyboard when it was seen: where keys without a target will go. Empty when nothing tells."""
    if not isinstance(action, PressKey | Hotkey):
        return ()
    holders = candidates.where(lambda c: "focused" in c.states and not {"occluded", "offscreen"} & set(c.states))
    frame = Box(0, 0, shot.width, shot.height)
    return tuple(_mark(shot, c, None) for c in holders if frame.contains(c.point))


def _find(candidates: Candidates, id: str, capture_id: str) -> Candidate:
    found = candidates.get(id) if isinstance(id, str) else None
    if found is None:
        raise LeaseError("candidate_not_found", f"capture {capture_id} has no candidate {str(id)[:40]!r}")
    if "occluded" in found.states:
        raise LeaseError("candidate_occluded", f"{_called(found)} was covered when it was seen")
    if "offscreen" in found.states:
        raise LeaseError(
            "capture_coordinate_invalid", f"{_called(found)} was out of view; scroll to it or open its list"
        )
    return found


def _mark(shot: Screenshot, candidate: Candidate, at: Fraction | None) -> Mark:
    point = candidate.point if at is None else _inside(candidate.box, *at)
    frame = Box(0, 0, shot.width, shot.height)
    if not frame.contains(point):
        raise LeaseError(
            "capture_coordinate_invalid",
            f"{_called(candidate)} is at ({point.x:g}, {point.y:g}), outside the {shot.width}×{shot.height} frame",
        )
    return Mark(candidate=candidate, point=point, input=shot.to_input.apply(point))


def _inside(box: Box, fx: float, fy: float) -> Point:
    """Point at fractions of a half-open box; the far edges belong to the last pixel."""
    point = box.at(fx, fy)
    return Point(
        max(box.left, min(point.x, box.right - min(1, box.width / 2))),
        max(box.top, min(point.y, box.bottom - min(1, box.height / 2))),
    )


def _guard(
    surface: Surface, shot: Screenshot, candidates: Candidates, marks: Sequence[Mark], limits: guard.Limits
) -> None:
    near = [guard.patch_box(m.candidate.box, m.point, shot.size, shot.scale, limits) for m in marks]
    around = [_around(shot, candidates, m.candidate, limits) for m in marks]
    looks = [box if wide is None else box.union(wide) for box, wide in zip(near, around, strict=True)]
    if len(looks) == 1:
        fresh = [surface.patch(looks[0])]
    else:
        frame = surface.grab()  # both ends of a drag at one moment
        fresh = [frame.crop(box) for box in looks]
    for mark, box, wide, look, now in zip(marks, near, around, looks, fresh, strict=True):
        was = shot.crop(look)
        if was.shape != now.shape:
            raise LeaseError("capture_stale", f"{_called(mark.candidate)} does not lie in the frame as it did")
        one = mark.candidate
        _same(
            mark,
            guard.compare(
                _part(was, look, box),
                _part(now, look, box),
                limits,
                element=one.box.shift(-box.left, -box.top),
                scale=shot.scale,
                role=one.role,
            ),
            "does not look as it did",
        )
        if wide is not None:
            _same(
                mark,
                guard.compare(
                    _part(was, look, wide),
                    _part(now, look, wide),
                    limits,
                    patchy=True,
                    scale=shot.scale,
                    role=_field_in(candidates, wide),
                ),
                "is one of several that look alike, and what is around it changed",
            )


def _same(mark: Mark, seen: guard.Comparison, wrong: str) -> None:
    if not seen.same:
        raise LeaseError(
            "capture_stale", f"{_called(mark.candidate)} {wrong}: {seen.changed:.1%} of the pixels changed"
        )


def _around(shot: Screenshot, candidates: Candidates, one: Candidate, limits: guard.Limits) -> Box | None:
    return context.surroundings(one.box, context.twins(shot, candidates, one, limits), shot.size)


def _part(pixels: guard.Pixels, whole: Box, part: Box) -> guard.Pixels:
    left, top, right, bottom = part.shift(-whole.left, -whole.top).rounded()
    return pixels[top:bottom, left:right]


def _field_in(candidates: Candidates, wide: Box) -> str:
    """Role of a field in which a caret may blink, if there is one."""
    fields = candidates.where(lambda c: c.role in guard.FIELDS and c.box.intersect(wide).area > 0)
    return fields[0].role if fields else ""


def _called(candidate: Candidate) -> str:
    name = f" {candidate.label[:40]!r}" if candidate.label and "secret" not in candidate.states else ""
    return f"{candidate.id} ({candidate.role}{name})"
