"""The words of OSWorld's task files: which steps there are, what they take, and the many spellings of one application.

Counted in the 369 published files (xlang-ai/OSWorld at 315a7603, Apache-2.0).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a step takes: parameter → types."""

    required: Mapping[str, tuple[type, ...]] = field(default_factory=dict)
    optional: Mapping[str, tuple[type, ...]] = field(default_factory=dict)


_COMMAND: Final = {"command": (str, list)}
_SHELL: Final = {"shell": (bool, str)}
_WINDOW: Final = {"strict": (bool,), "by_class": (bool,)}

STEPS: Final[Mapping[str, Words]] = MappingProxyType(
    {
        "launch": Words(required=_COMMAND, optional=_SHELL),
        "execute": Words(required=_COMMAND, optional={**_SHELL, "stdout": (str,), "stderr": (str,), "until": (dict,)}),
        "command": Words(required=_COMMAND, optional={**_SHELL, "stdout": (str,), "stderr": (str,), "until": (dict,)}),
        "download": Words(required={"files": (list,)}),
        "upload_file": Words(required={"files": (list,)}),
        "open": Words(required={"path": (str,)}),
        "activate_window": Words(required={"window_name": (str,)}, optional=_WINDOW),
        "close_window": Words(required={"window_name": (str,)}, optional=_WINDOW),
        "chrome_open_tabs": Words(required={"urls_to_open": (list,)}),
        "chrome_close_tabs": Words(required={"urls_to_close": (list,)}),
        "sleep": Words(required={"seconds": (int, float)}),
        "update_browse_history": Words(required={"history": (list,)}),
        "googledrive": Words(required={"settings_file": (str,), "operation": (list,)}, optional={"args": (list,)}),
        "login": Words(required={"settings_file": (str,), "platform": (str,)}),
        "act": Words(required={"action_list": (list,)}),
        "change_wallpaper": Words(required={"path": (str,)}),
        "tidy_desktop": Words(),
    }
)
"""Steps that published files or the reference runner know."""

APPS: Final[Mapping[str, str]] = MappingProxyType(
    {
        spelling: name
        for name, spellings in {
            "chrome": "chrome,google chrome,browser,chromium",
            "gimp": "gimp",
            "calc": "calc,libreoffice_calc,libreoffice calc,excel",
            "impress": "impress,libreoffice_impress,libreoffice impress,ppt,libreoffice-impress",
            "writer": "writer,libreoffice_writer,libreoffice writer,libreoffice-writer",
            "libreoffice": "libreoffice",
            "os": "os,ubuntu",
            "terminal": "terminal,gnome-terminal,bash",
            "files": "nautilus,files,file manager",
            "vlc": "vlc,vlc media player",
            "thunderbird": "thunderbird",
            "vs_code": "vscode,vs_code,code,visual studio code,vs code",
            "pdf": "pdf,evince,document viewer",
            "image": "image,eog,image viewer,picture",
        }.items()
        for spelling in spellings.split(",")
    }
)
"""Spelling → application."""


PPTX_ASKED_FOR: Final = frozenset(
    {
        "image_size",
        "modify_height",
        "shape_for_shift_size",
        "title_bottom_position",
        "table_bottom_position",
        "right_position",
        "top_position",
    }
)
"""What ``compare_pptx_files`` looks at only when asked; each of the last four stands for one published task."""

PPTX_OPTIONS: Final = frozenset(
    f"examine_{word}"
    for word in (
        *"shape text indent font_name font_size font_bold font_italic color_rgb font_underline strike_through".split(),
        *"alignment bullets background_color note number_of_slides run_count".split(),
        *PPTX_ASKED_FOR,
    )
) | {"approximately_tolerance"}
"""Options of ``compare_pptx_files`` here; a task with another one cannot be judged."""


def app_name(spelling: str) -> str:
    """One spelling for an application; unknown words stay, in small letters."""
    word = spelling.strip().casefold()
    return APPS.get(word, word)


def truth(value: object) -> bool:
    """Whether a switch is on, also when it is written as a word."""
    return value.strip().casefold() in ("true", "1", "yes") if isinstance(value, str) else bool(value)
