"""Where frames come from: files, pages, screens. Each source returns a :class:`~cuakit.core.screenshot.Screenshot`."""
