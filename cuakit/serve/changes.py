"""What is new, gone or different between two reads of one window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from cuakit.core.candidate import Candidate, Candidates

_FIELDS: Final = ("role", "label", "value", "states", "actions")


def changes(before: Candidates, after: Candidates) -> dict[str, Any]:
    """The difference between two reads.

    An object is the same one when its source says so; where the source has no lasting names (pixels), the same role,
    label and rank among those that share both.

    Args:
        before: The older read.
        after: The newer read.

    Returns:
        ``added``: ids of the newer read; ``removed``: ids of the older one; ``changed``: ``id``, ``was`` (its older id)
        and ``fields``, each ``[before, after]``; ``moved``: ids of the newer read whose place alone is another.
    """
    old, new = _keyed(before), _keyed(after)
    changed, moved = [], []
    for key in new.keys() & old.keys():
        was, now = old[key], new[key]
        fields = {
            f: [_plain(getattr(was, f)), _plain(getattr(now, f))] for f in _FIELDS if getattr(was, f) != getattr(now, f)
        }
        if fields:
            changed.append({"id": now.id, "was": was.id, "fields": fields})
        elif was.box.rounded() != now.box.rounded():
            moved.append(now.id)
    place = {c.id: rank for rank, c in enumerate(after)}
    return {
        "added": [c.id for key, c in new.items() if key not in old],
        "removed": [c.id for key, c in old.items() if key not in new],
        "changed": sorted(changed, key=lambda c: place[c["id"]]),
        "moved": sorted(moved, key=place.__getitem__),
    }


def _keyed(found: Iterable[Candidate]) -> dict[tuple[object, ...], Candidate]:
    seen: Counter[tuple[object, ...]] = Counter()
    keyed = {}
    for c in found:
        name = (c.source, c.provenance) if c.source in ("accessibility", "dom") and c.provenance else (c.role, c.label)
        keyed[*name, seen[name]] = c
        seen[name] += 1
    return keyed


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
