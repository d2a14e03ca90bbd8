"""Metrics by their published names. A metric takes what the agent left behind and what should be there, and scores it.

The names and meanings are OSWorld's (xlang-ai/OSWorld, Apache-2.0); the code is our own, on well-kept document
libraries. Each module loads its library when one of its metrics is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final

from cuakit.core.errors import MissingExtra, UnknownName

Metric = Callable[..., float]

_BY_MODULE: Final = {
    "values": (
        "exact_match match_in_list is_in_list literal_match fuzzy_match check_include_exclude check_direct_json_object"
    ),
    "files": (
        "check_list check_csv compare_csv compare_text_file diff_text_file check_json check_json_settings compare_config "
        "file_contains check_config_status check_thunderbird_prefs compare_python_pure_text compare_archive "
        "compare_zip_files check_json_keybindings run_sqlite3"
    ),
    "tables": "compare_table",
    "documents": (
        "compare_docx_files compare_docx_tables compare_docx_images compare_line_spacing compare_font_names "
        "contains_page_break is_first_line_centered check_italic_font_size_14 compare_subscript_contains "
        "evaluate_strike_through_last_paragraph"
    ),
    "slides": "compare_pptx_files",
    "papers": "compare_pdfs check_pdf_pages",
    "images": (
        "compare_images compare_image_list check_image_size check_image_file_size check_image_mirror check_structure_sim "
        "check_structure_sim_with_threshold check_structure_sim_resized check_brightness_decrease_and_structure_sim "
        "check_saturation_increase_and_structure_sim check_contrast_increase_and_structure_sim"
    ),
}

METRICS: Final[Mapping[str, str]] = MappingProxyType(
    {name: module for module, names in _BY_MODULE.items() for name in names.split()}
)
"""Metric → module of this package. ``infeasible`` is not among them: the judge knows it."""


def metric(name: str) -> Metric:
    """A metric by its published name.

    Raises:
        UnknownName: There is none.
        MissingExtra: Its document library is not installed.
    """
    if name not in METRICS:
        raise UnknownName(f"no metric named {name!r}", hint="cuakit osworld list shows what can be judged")
    try:
        found: Metric = getattr(import_module(f"{__name__}.{METRICS[name]}"), name)
    except ModuleNotFoundError as lost:
        raise MissingExtra(f"{name} needs the package {lost.name!r}", hint="pip install 'cuakit[osworld]'") from lost
    return found
