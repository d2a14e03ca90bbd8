"""Sliders for a perception stage, and what it finds with them, at once: in a notebook."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import fields
from html import escape
from types import MappingProxyType
from typing import Any, Final

from cuakit.core import html, registry
from cuakit.core.candidate import Candidates
from cuakit.core.errors import CuakitError, MissingExtra
from cuakit.core.registry import Spec
from cuakit.core.screenshot import Screenshot

RANGES: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {
        "low": (0, 255),
        "high": (0, 255),
        "dilate": (1, 9),
        "rectangle_fill": (0.5, 1.0),
        "hue": (0, 90),
        "confidence": (0, 1),
    }
)
"""Option → least and largest value on its slider; others reach from 0 to twice their default, or to 1 when that is 0."""

STILL_S: Final = 1.0
"""A stage that takes longer runs when a slider is let go, not while it is moved."""


class Tuner:
    """A stage on one picture, with a slider for each of its numbers.

    Show it as the last expression of a cell. ``tuner.stage`` is the stage as it stands, ``tuner.toml`` what to write into an
    agent's file.

    Args:
        stage: Name of a perception stage that takes a picture alone, such as ``contours-v1``.
        shot: The picture.
        **options: Where the sliders begin, instead of the defaults.

    Raises:
        MissingExtra: The notebook packages are not installed.
        UnknownName: No such stage.
    """

    def __init__(self, stage: str, shot: Screenshot, **options: Any) -> None:
        self._widgets = _widgets()
        self.shot = shot
        self._name = stage
        made = registry.build("perceive", stage, **options)
        self.found: Candidates = Candidates()
        self._controls = {
            f.name: c for f in fields(made) if f.init and (c := self._control(f.name, getattr(made, f.name)))
        }
        self._picture, self._said = self._widgets.HTML(), self._widgets.HTML()
        for control in self._controls.values():
            control.observe(lambda _: self._draw(), names="value")
        self._draw()
        self.widget = self._widgets.HBox(
            [self._widgets.VBox([*self._controls.values(), self._said]), self._picture],
            layout={"align_items": "flex-start"},
        )

    @property
    def options(self) -> dict[str, Any]:
        """Options that differ from the defaults."""
        plain = registry.build("perceive", self._name)
        now = {name: control.value for name, control in self._controls.items()}
        return {name: value for name, value in now.items() if value != getattr(plain, name)}

    @property
    def stage(self) -> Any:
        """The stage as the sliders say."""
        return registry.build("perceive", self._name, **self.options)

    @property
    def spec(self) -> Spec:
        """The same as a spec."""
        return Spec(self._name, args=self.options)

    @property
    def toml(self) -> str:
        """The same as it is written in an agent's file."""
        lines = [f"{name} = {_toml(value)}" for name, value in self.options.items()]
        return "\n".join(["[perceive]", f'name = "{self._name}"', *lines]) + "\n"

    def set(self, **options: Any) -> Candidates:
        """Move sliders from code, and give what is found then.

        Raises:
            UsageError: The stage has no such option.
        """
        registry.build("perceive", self._name, **options)
        for name, value in options.items():
            if name in self._controls:
                self._controls[name].value = value
        return self.found

    def _draw(self) -> None:
        start = time.perf_counter()
        try:
            self.found = self.stage(self.shot)
        except (CuakitError, ValueError) as wrong:  # a pair of sliders that do not go together
            self._said.value = f"<b>{escape(str(wrong))}</b>"
            return
        spent = time.perf_counter() - start
        self._said.value = f"{len(self.found)} candidates in {1e3 * spent:.0f} ms"
        self._picture.value = html.overlay(self.shot, self.found, quality=80)
        for control in self._controls.values():
            if hasattr(control, "continuous_update"):
                control.continuous_update = spent < STILL_S

    def _control(self, name: str, value: Any) -> Any:
        kind: Callable[..., Any]
        ends = RANGES.get(name, (0, 2 * _largest(value) or 1))
        look = {"description": name, "style": {"description_width": "8em"}}
        if isinstance(value, bool):
            return self._widgets.Checkbox(value, **look)
        if isinstance(value, tuple) and len(value) == 2 and all(isinstance(v, float) for v in value):
            kind = self._widgets.FloatRangeSlider
        elif isinstance(value, int):
            kind = self._widgets.IntSlider
        elif isinstance(value, float):
            kind = self._widgets.FloatSlider
        else:
            return None
        step = {} if isinstance(value, int) else {"step": (ends[1] - ends[0]) / 100}
        return kind(value=value, min=ends[0], max=max(ends[1], _largest(value)), **step, **look)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)


def _largest(value: Any) -> float:
    return (
        float(max(value))
        if isinstance(value, tuple) and value
        else float(value)
        if isinstance(value, int | float)
        else 1.0
    )


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(list(value)) if isinstance(value, tuple) else repr(value)


def _widgets() -> Any:
    try:
        import ipywidgets  # noqa: PLC0415 - optional, and only a notebook needs it
    except ModuleNotFoundError as lost:
        raise MissingExtra("the tuner needs the notebook packages", hint="pip install 'cuakit[notebook]'") from lost
    return ipywidgets
