"""Checking what was reached, with three answers: passed, failed, unknown. Unknown is never a pass."""
