"""Waiting until the target stands still: by what the page knows, by its pixels, or by the clock alone."""
