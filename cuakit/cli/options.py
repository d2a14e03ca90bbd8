"""Option types that the commands share."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

AsJson = Annotated[bool, Parameter(name="--json", negative=())]
"""``--json``: end with one JSON object on the last line."""

Flag = Annotated[bool, Parameter(negative=())]
"""A switch without a ``--no-`` form."""

Names = Annotated[tuple[str, ...], Parameter(negative=())]
"""An option that may be repeated."""
