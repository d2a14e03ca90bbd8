from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from cuakit.core import registry
from cuakit.core.errors import UnknownName, UsageError


@dataclass(frozen=True, kw_only=True)
class Stage:
    stage_id: ClassVar[str] = "stage-v1"

    size: int = 3
    words: tuple[str, ...] = ()
    hidden: int = field(default=0, repr=False)


@pytest.mark.parametrize("verb", registry.VERBS)
def test_listing_a_verb_imports_nothing_and_sorts(verb):
    names = registry.stages(verb)
    assert list(names) == sorted(names)


def test_names_are_found_by_pattern():
    assert registry.stages("settle", "page-*") == ("page-fast-v1", "page-quiet-v1")
    assert registry.stages("settle", "nothing*") == ()


def test_a_stage_is_built_from_its_name_and_known_by_its_spec():
    stage = registry.build("settle", "fixed-v1", seconds=0.25)
    spec = registry.spec(stage)
    assert (spec.name, dict(spec.args)) == ("fixed-v1", {"seconds": 0.25})
    assert spec.version
    assert registry.build("settle", spec.name, **spec.args) == stage


def test_a_spec_leaves_defaults_and_injected_things_out():
    assert dict(registry.spec(Stage(size=3, hidden=9)).args) == {}
    assert dict(registry.spec(Stage(words=("a",))).args) == {"words": ("a",)}


def test_an_unknown_name_lists_close_ones_and_all():
    with pytest.raises(UnknownName, match="page-quiet-v1") as unknown:
        registry.get("settle", "page-quite-v1")
    assert "fixed-v1" in unknown.value.hint


def test_an_unknown_verb_lists_the_verbs():
    with pytest.raises(UnknownName) as unknown:
        registry.stages("poke")
    assert "settle" in unknown.value.hint


def test_an_option_that_a_stage_does_not_take_is_told_with_those_it_does():
    with pytest.raises(UsageError) as wrong:
        registry.build("settle", "fixed-v1", minutes=3)
    assert "seconds" in wrong.value.hint


@pytest.mark.parametrize("thing", [object(), "contours-v1", 7])
def test_what_is_no_stage_has_no_spec(thing):
    with pytest.raises(UsageError, match="no stage"):
        registry.spec(thing)


def test_every_stage_of_ours_carries_the_id_it_is_registered_under():
    for verb in ("act", "settle", "verify"):
        for name in registry.stages(verb):
            assert registry.get(verb, name).stage_id == name
