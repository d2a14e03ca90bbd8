"""Sphinx settings. Everything is built offline: no intersphinx, no fonts or scripts from elsewhere."""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.metadata import version as installed
from pathlib import Path

HERE = Path(__file__).parent

project = "cuakit"
author = "the cuakit developers"
version = release = installed("cuakit")
copyright = "2026, the cuakit developers"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build", "**.ipynb_checkpoints"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# The notebooks are executed by `make test`; here their committed outputs are shown.
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}

autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
napoleon_use_rtype = False

html_theme = "pydata_sphinx_theme"
html_title = "cuakit"
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": False, "show_prev_next": False, "footer_start": [], "footer_end": []}
html_sidebars = {"index": []}

# Settings of the machine that builds must not show in the pages.
os.environ.setdefault("NO_COLOR", "1")
os.environ["COLUMNS"] = "100"


def _generate() -> None:
    """Write what is read from the code: tutorials from the notebooks, the stage table, the help of every command."""
    spec = importlib.util.spec_from_file_location("docs_generate", HERE.parent / "tools" / "docs_pages.py")
    assert spec is not None
    assert spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = pages
    spec.loader.exec_module(pages)
    pages.write(HERE)


_generate()
