"""The latency lab: where the time goes on this machine, what instruction sets are worth, and how far from its limits it runs.

Everything is told with n and an interval, beside a yardstick that says how noisy the machine was meanwhile.
"""

from typing import TYPE_CHECKING, Any

from cuakit.bench.lab.diff import compare_profiles
from cuakit.bench.lab.kept import PARTS, read_profile
from cuakit.bench.lab.samples import Estimate, median_interval
from cuakit.bench.lab.tables import profile_text

if TYPE_CHECKING:
    from cuakit.bench.lab.measure import profile

__all__ = ["PARTS", "Estimate", "compare_profiles", "median_interval", "profile", "profile_text", "read_profile"]


def __getattr__(name: str) -> Any:
    """``profile``, when it is first used: measuring needs the extra ``vision``, reading and comparing do not."""
    if name != "profile":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cuakit.core.errors import MissingExtra  # noqa: PLC0415 - as late as what it tells about

    try:
        from cuakit.bench.lab.measure import profile  # noqa: PLC0415 - needs OpenCV
    except ModuleNotFoundError as lost:
        raise MissingExtra(f"measuring needs {lost.name}", hint="pip install 'cuakit[vision]'") from lost
    return profile
