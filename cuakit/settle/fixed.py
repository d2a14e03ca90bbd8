"""A pause of fixed length: the baseline that the others have to beat."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from cuakit.core.errors import UsageError
from cuakit.core.outcome import Settled
from cuakit.core.stages import Grab


@dataclass(frozen=True, kw_only=True)
class FixedDelay:
    """Sleeps and knows nothing; ``quiet`` is therefore never claimed.

    Args:
        seconds: Length of the pause.
        sleep: Pauses; injected in tests.

    Raises:
        UsageError: A negative length.
    """

    stage_id: ClassVar[str] = "fixed-v1"

    seconds: float = 0.5
    sleep: Callable[[float], Any] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        if not self.seconds >= 0:
            raise UsageError(f"a pause cannot last {self.seconds} s", hint="give 0 or more seconds")

    def __call__(self, _grab: Grab, /) -> Settled:
        """Pause."""
        self.sleep(self.seconds)
        return Settled(reacted=False, quiet=False, elapsed_ms=self.seconds * 1e3, reason="fixed delay")
