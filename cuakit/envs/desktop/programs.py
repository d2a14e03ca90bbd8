"""Applications that a task may start by name. Anything else is a command, which nobody runs unless it is allowed.

A program is started without a shell, with options from a closed list, on files inside the private home.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from cuakit.core.errors import BackendError, UsageError
from cuakit.envs.desktop.places import Places

ALLOW: Final = "CUAKIT_ALLOW_TASK_COMMANDS"
"""Environment variable that allows task files to run commands."""

_FLAG: Final = re.compile(r"--?[A-Za-z][A-Za-z0-9-]*(=[A-Za-z0-9_.:,-]*)?")


class CommandNotAllowed(UsageError):
    """A task file wants to run something that is not a known application; nothing was started."""

    code = "task_commands_not_allowed"


class AppMissing(BackendError):
    """An application that a task needs is not installed."""

    code = "app_missing"
    retryable = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One application.

    Args:
        name: Ours for it.
        binaries: Executables that serve, best first.
        package: Debian package to install.
        flags: Options that a task file may give; others make it a command.
        options: Ours, for a home.
        urls: Whether it takes addresses.
        opens: Suffixes that it is the application for.
        prepare: Writes settings into a home, so that no first-run question is in the way.
    """

    name: str
    binaries: tuple[str, ...]
    package: str
    flags: frozenset[str] = frozenset()
    options: Callable[[Path], Sequence[str]] = lambda _: ()
    urls: bool = False
    opens: frozenset[str] = frozenset()
    prepare: Callable[[Path], None] = lambda _: None

    @property
    def binary(self) -> str | None:
        """The executable here; None when there is none."""
        return next((found for b in self.binaries if (found := shutil.which(b))), None)

    def command(self, home: Path, arguments: Sequence[str] = ()) -> list[str]:
        """How to start it.

        Raises:
            AppMissing: It is not installed.
        """
        if self.binary is None:
            raise AppMissing(f"{self.name} is not installed", hint=f"apt-get install {self.package}")
        self.prepare(home)
        return [self.binary, *self.options(home), *arguments]


def _office_options(home: Path) -> list[str]:
    profile = (home / ".config/libreoffice/4").as_uri()
    return [f"-env:UserInstallation={profile}", "--norestore", "--nologo", "--nofirststartwizard"]


_OFFICE_SETTINGS: Final = {
    "/org.openoffice.Office.Common/Save/Document": {"WarnAlienFormat": "false"},
    "/org.openoffice.Office.Common/Misc": {"ShowTipOfTheDay": "false", "FirstRun": "false"},
    "/org.openoffice.Setup/Office": {"LastCompatibilityCheckID": "cuakit", "ooSetupInstCompleted": "true"},
}


def _office_prepare(home: Path) -> None:
    file = home / ".config/libreoffice/4/user/registrymodifications.xcu"
    if file.exists():
        return
    items = "".join(
        f'<item oor:path="{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, settings in _OFFICE_SETTINGS.items()
        for name, value in settings.items()
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" '
        f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{items}</oor:items>\n'
    )


def chrome_profile(home: Path) -> Path:
    """Where the browser keeps its settings."""
    return home / ".config/chromium"


def _chrome_options(home: Path) -> list[str]:
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    quiet = (
        "--no-first-run --no-default-browser-check --password-store=basic --force-renderer-accessibility --disable-gpu "
        "--disable-background-networking --disable-component-update --disable-sync --mute-audio "
        "--disable-search-engine-choice-screen --disable-dev-shm-usage --disable-features=Translate,MediaRouter"
    )
    return [*quiet.split(), *root, f"--user-data-dir={chrome_profile(home)}"]


_OFFICE_FLAGS: Final = frozenset(
    "--calc --writer --impress --draw --norestore --nologo --nofirststartwizard --view".split()
)
_TEXTS: Final = frozenset(".txt .md .csv .log .py .json .xml .html .sh .ini .bib .srt".split())

PROGRAMS: Final[Mapping[str, Program]] = MappingProxyType(
    {
        p.name: p
        for p in (
            Program(
                name="office",
                binaries=("soffice", "libreoffice"),
                package="libreoffice-calc libreoffice-writer libreoffice-impress libreoffice-gtk3",
                flags=_OFFICE_FLAGS,
                options=_office_options,
                opens=frozenset(".xlsx .xls .ods .docx .doc .odt .pptx .ppt .odp .rtf".split()),
                prepare=_office_prepare,
            ),
            Program(
                name="chrome",
                binaries=("chromium", "google-chrome", "google-chrome-stable"),
                package="chromium",
                flags=frozenset({"--remote-debugging-port", "--incognito", "--new-window"}),
                options=_chrome_options,
                urls=True,
            ),
            Program(
                name="gimp",
                binaries=("gimp",),
                package="gimp",
                options=lambda _: ("--no-splash",),
                opens=frozenset({".xcf", ".png", ".jpg", ".jpeg"}),
            ),
            Program(
                name="vlc",
                binaries=("vlc",),
                package="vlc",
                flags=frozenset(
                    "--no-audio --no-video-title-show --start-time --stop-time --play-and-pause --repeat".split()
                ),
                opens=frozenset(".mp4 .mp3 .avi .mkv .mov .wav".split()),
            ),
            Program(name="thunderbird", binaries=("thunderbird",), package="thunderbird"),
            Program(name="mousepad", binaries=("mousepad",), package="mousepad", opens=_TEXTS),
            Program(name="featherpad", binaries=("featherpad",), package="featherpad"),
            Program(name="galculator", binaries=("galculator",), package="galculator"),
            Program(name="xterm", binaries=("xterm",), package="xterm", options=lambda _: ("-u8", "-fa", "Monospace")),
            Program(name="pdf", binaries=("evince", "atril", "qpdfview"), package="evince", opens=frozenset({".pdf"})),
            Program(name="files", binaries=("thunar", "pcmanfm", "nautilus"), package="thunar"),
            Program(name="vs_code", binaries=("code",), package="code"),
        )
    }
)
"""Applications by name."""

_CALLED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "libreoffice": "office",
        "soffice": "office",
        "google-chrome": "chrome",
        "google-chrome-stable": "chrome",
        "chromium": "chrome",
        "chromium-browser": "chrome",
        "gedit": "mousepad",
        "gnome-text-editor": "mousepad",
        "gnome-calculator": "galculator",
        "gnome-terminal": "xterm",
        "nautilus": "files",
        "evince": "pdf",
        "code": "vs_code",
        **{name: name for name in ("gimp", "vlc", "thunderbird", "mousepad", "featherpad", "galculator", "xterm")},
    }
)
"""Word in a command → application."""

IGNORED: Final = frozenset({"socat"})
"""Words that are understood and not needed: the browser is asked over a pipe, so no port has to be forwarded."""

_HARMLESS: Final = frozenset({"VLC_VERBOSE"})


def program_named(word: str) -> Program | None:
    """The application behind the first word of a command; None when it is not one of ours."""
    base = word.rpartition("/")[2]
    if "/" in word and not word.startswith("/usr/bin/"):
        return None
    return PROGRAMS[_CALLED[base]] if base in _CALLED else None


def program_for(file: Path) -> Program:
    """The application that opens a file.

    Raises:
        UsageError: None of ours does.
    """
    for program in PROGRAMS.values():
        if file.suffix.casefold() in program.opens:
            return program
    raise UsageError(f"no application here opens {file.suffix or 'files without a suffix'}", hint="launch one by name")


def recognised(words: Sequence[str]) -> tuple[Program, tuple[str, ...]] | None:
    """A command as an application and its arguments, if it is one of ours with options that are known; else None."""
    rest = list(words)
    while rest and (m := re.match(r"([A-Z_]+)=", rest[0])):
        if m[1] not in _HARMLESS:
            return None
        rest.pop(0)
    program = program_named(rest[0]) if rest else None
    if program is None:
        return None
    for argument in rest[1:]:
        if argument.startswith("-") and not (_FLAG.fullmatch(argument) and argument.partition("=")[0] in program.flags):
            return None
    return program, tuple(rest[1:])


def arguments_inside(program: Program, arguments: Sequence[str], places: Places) -> list[str]:
    """Arguments with paths inside the private home.

    Raises:
        PathEscape: A path leads out of it.
    """
    made = []
    for argument in arguments:
        if argument.startswith("-"):
            if not argument.startswith("--remote-debugging-port"):  # DevTools is reached over a pipe
                made.append(argument)
        elif program.urls and urlsplit(argument).scheme in ("http", "https", "chrome", "about"):
            made.append(argument)
        elif program.urls and argument.startswith("file://"):
            made.append(places.inside(argument.removeprefix("file://")).as_uri())
        else:
            made.append(str(places.inside(argument)))
    return made
