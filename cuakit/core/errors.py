"""Every exception that cuakit raises, each with a stable code, a retry hint and a next step.

::

    CuakitError
    ├── UsageError            the caller's words are off
    │   ├── UnknownName         no stage, suite or agent of that name
    │   ├── MissingExtra        an optional package is not installed
    │   ├── InvalidImage        a picture that cannot be read or is out of bounds
    │   ├── InvalidSubtask      a field of a subtask breaks its rule
    │   └── InvalidTask         a suite or task file breaks its schema
    ├── BackendError          the outside world is not there, or went away
    │   ├── DisplayUnavailable
    │   ├── BrowserUnavailable
    │   ├── PageCrashed
    │   ├── PageTimeout
    │   ├── TargetGone
    │   └── PortTaken
    ├── LeaseError            nothing was injected; the code says why
    ├── DecisionError         a decision model's answer cannot be used
    ├── ModelError            weights missing, damaged or not runnable
    └── RecordError           a ledger or frame cannot be written or read

A lease refusal is one class with many codes, because callers treat all of them alike: look again, or stop.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

LEASE_CODES: Final[dict[str, tuple[bool, str]]] = {
    "capture_not_found": (True, "observe again and use the new capture_id; a capture serves one action"),
    "capture_expired": (True, "observe again; a capture lives 60 seconds"),
    "capture_stale": (True, "the pixels under the target changed; observe again"),
    "capture_generation_mismatch": (True, "the page or session was replaced; observe again"),
    "capture_target_mismatch": (False, "use a capture of the window or page you want to act on"),
    "capture_frame_mismatch": (True, "the window was resized; observe again"),
    "capture_coordinate_invalid": (False, "the target lies outside the captured frame"),
    "capture_id_invalid": (False, "pass a capture_id exactly as it was returned"),
    "candidate_not_found": (False, "pick an id from the candidates of this capture"),
    "candidate_occluded": (True, "something covers the target; observe again or move what covers it"),
    "consent_required": (
        False,
        "the subtask does not consent to this; add its kind to allowed_risks, or leave it to a person",
    ),
    "not_installed": (False, "install the extension: cuakit extension install NAME --catalog FILE"),
}
"""Refusal code → (retryable, what to do next)."""


class CuakitError(Exception):
    """Root of all cuakit errors.

    Args:
        message: What happened and what was found.
        hint: What to do next, as one sentence.
        code: Overrides the class's code.
        retryable: Overrides the class's retry hint.
    """

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "", code: str | None = None, retryable: bool | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.error_code: str = code or type(self).code
        self.is_retryable: bool = type(self).retryable if retryable is None else retryable

    def __str__(self) -> str:
        """Message, then the hint on its own line."""
        return f"{self.message}\n{self.hint}" if self.hint else self.message

    def as_dict(self) -> dict[str, Any]:
        """Structured form for JSON answers: ``code``, ``message``, ``hint``, ``retryable``."""
        return {
            "code": self.error_code,
            "message": self.message,
            "hint": self.hint,
            "retryable": self.is_retryable,
        }


class UsageError(CuakitError):
    """The call cannot be carried out as it was made."""

    code = "invalid_arguments"


class UnknownName(UsageError):
    """No stage, suite, agent or task of that name."""

    code = "unknown_name"


class MissingExtra(UsageError):
    """A package that an optional part needs is not installed."""

    code = "missing_extra"


class InvalidImage(UsageError):
    """A picture that cannot be read, or whose size is out of bounds."""

    code = "invalid_image"


class InvalidSubtask(UsageError):
    """A field of a subtask breaks its rule; the message names the field."""

    code = "invalid_subtask"


class InvalidTask(UsageError):
    """A suite or task file breaks its schema; the message names the place."""

    code = "invalid_task"


class BackendError(CuakitError):
    """A screen, browser or bus is missing or went away."""

    code = "backend_unavailable"
    retryable = True


class DisplayUnavailable(BackendError):
    """No X display can be opened."""

    code = "display_unavailable"


class BrowserUnavailable(BackendError):
    """No usable Chromium was found, or it did not start."""

    code = "browser_unavailable"


class PageCrashed(BackendError):
    """The page's renderer died."""

    code = "page_crashed"


class PageTimeout(BackendError):
    """The page did not answer within its deadline."""

    code = "page_timeout"


class TargetGone(BackendError):
    """The window or page was closed."""

    code = "target_gone"


class PortTaken(BackendError):
    """The requested loopback port is in use."""

    code = "port_taken"


class LeaseError(CuakitError):
    """The lease refused the action; nothing was injected.

    Args:
        code: One of :data:`LEASE_CODES`.
        message: What was found.
    """

    code = "capture_not_found"
    retryable = True

    def __init__(self, code: str, message: str) -> None:
        retryable, hint = LEASE_CODES[code]
        super().__init__(message, hint=hint, code=code, retryable=retryable)


class DecisionError(CuakitError):
    """A decision model failed or its answer cannot be used; nothing was executed."""

    code = "invalid_decision"


class ModelError(CuakitError):
    """Weights are missing, damaged, or cannot run here."""

    code = "model_unavailable"


class RecordError(CuakitError):
    """A ledger or frame cannot be written or read back."""

    code = "record_failed"
