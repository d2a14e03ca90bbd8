"""``cuakit list`` and ``cuakit doctor``: what there is, and what works here."""

from __future__ import annotations

import json
from collections.abc import Sequence

from cuakit.cli.options import AsJson


def list_(what: str = "", *, as_json: AsJson = False) -> None:
    """What there is: stages by verb, agents, suites, environments.

    Args:
        what: A verb such as "perceive", or "agents", "suites", "envs"; everything by default.
        as_json: One JSON object on the last line.
    """
    found = _everything() if not what else {what: _named(what)}
    if as_json:
        print(json.dumps(found))
        return
    for name, members in found.items():
        print(name)
        for member in members:
            print(f"  {member}")


def _named(what: str) -> list[str]:
    from cuakit.core import registry

    others = _others()
    return list(others[what]) if what in others else list(registry.stages(what))


def _everything() -> dict[str, list[str]]:
    from cuakit.core.registry import VERBS, stages

    return {verb: list(stages(verb)) for verb in VERBS} | {k: list(v) for k, v in _others().items()}


def _others() -> dict[str, Sequence[str]]:
    from cuakit.bench.agents import agent_names
    from cuakit.suites.loader import suite_names
    from cuakit.suites.opener import env_kinds

    return {"agents": agent_names(), "suites": suite_names(), "envs": sorted(env_kinds())}


def doctor(*, as_json: AsJson = False) -> int:
    """What works on this machine, and how to get what does not. Exit code 1 when the quickstart suite cannot run.

    Args:
        as_json: One JSON object on the last line.
    """
    from cuakit.bench.doctor import examine
    from cuakit.core.codec import jsonable

    findings = examine()
    works = all(f.ok or f.optional for f in findings)
    if as_json:
        print(json.dumps({"ok": works, "findings": jsonable(findings)}))
    else:
        for f in findings:
            print(f"{'ok     ' if f.ok else 'missing'} {f.name:<15} {f.detail}")
            if not f.ok:
                print(f"        needed for {f.needed_for}; {f.hint}")
    return 0 if works else 1
