"""Keeping what happened: an append-only ledger of JSON lines, and frames by content."""
