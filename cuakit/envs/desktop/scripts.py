"""Commands of task files that are understood as data, so that nothing has to be executed.

222 of the published steps are one-line pyautogui scripts: they are parsed, never run, and come out as key presses,
texts and clicks. ``mkdir``, ``tar`` and ``pkill`` become what they mean inside the private home.
"""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

from cuakit.core.errors import InvalidTask

MOST: Final = 500
"""Most gestures of one script."""

_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "enter": "ENTER",
        "return": "ENTER",
        "esc": "ESCAPE",
        "escape": "ESCAPE",
        "tab": "TAB",
        "space": "SPACE",
        "backspace": "BACKSPACE",
        "delete": "DELETE",
        "up": "ARROW_UP",
        "down": "ARROW_DOWN",
        "left": "ARROW_LEFT",
        "right": "ARROW_RIGHT",
        "home": "HOME",
        "end": "END",
        "pageup": "PAGE_UP",
        "pagedown": "PAGE_DOWN",
        "ctrl": "CTRL",
        "shift": "SHIFT",
        "alt": "ALT",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gesture:
    """One thing that a person's hands do.

    Args:
        kind: What.
        keys: Names of keys, held in order; for ``keys``.
        text: For ``text``.
        at: Place on the screen as fractions of its size; for ``click``.
        count: Presses, clicks or notches; negative notches scroll down.
        seconds: For ``pause``.
    """

    kind: Literal["keys", "text", "click", "scroll", "pause"]
    keys: tuple[str, ...] = ()
    text: str = ""
    at: tuple[float, float] | None = None
    count: int = 1
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """A command that is carried out here, inside the private home.

    Args:
        kind: What.
        paths: Folders to make; or the archive, then the folder to unpack into; or the program to end.
    """

    kind: Literal["mkdir", "untar", "end"]
    paths: tuple[str, ...]


def gestures(command: str | Sequence[str], screen: tuple[int, int]) -> tuple[Gesture, ...] | None:
    """A pyautogui script as gestures; None when it is something else, or does more than that.

    Args:
        command: Of an ``execute`` step.
        screen: Width and height in pixels, for ``{SCREEN_WIDTH_HALF}`` and absolute places.
    """
    script = _script(command)
    if script is None or "pyautogui" not in script:
        return None
    filled = script.replace("{SCREEN_WIDTH_HALF}", str(screen[0] // 2))
    filled = filled.replace("{SCREEN_HEIGHT_HALF}", str(screen[1] // 2))
    filled = filled.replace("{SCREEN_WIDTH}", str(screen[0])).replace("{SCREEN_HEIGHT}", str(screen[1]))
    try:
        made = tuple(_statements(ast.parse(filled), screen))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return made if len(made) <= MOST else None


def deed(command: str | Sequence[str]) -> Deed | None:
    """A command that can be carried out here; None for everything else."""
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError:
        return None
    if isinstance(command, str) and set(command) & set("|&;<>$`(){}*?~\n"):
        return None
    match words:
        case ["mkdir", "-p", *paths] if paths and not any(p.startswith("-") for p in paths):
            return Deed(kind="mkdir", paths=tuple(paths))
        case ["pkill" | "killall", name] if not name.startswith("-"):
            return Deed(kind="end", paths=(name,))
        case ["tar", *rest]:
            return _untar(rest)
        case _:
            return None


def _untar(rest: Sequence[str]) -> Deed | None:
    """``tar`` in the forms of the published files: extract one archive into one folder."""
    flags = {w for w in rest if w.startswith("-") and w not in ("-f", "-C")}
    extracts = any("x" in f and not f.startswith("--") for f in flags)
    plain = [w for w in rest if not w.startswith("-")]
    if extracts and flags <= {"--recursive-unlink", "-x", "-xz", "-xzv", "-xzf", "-xzvf", "-xJvf", "-xf", "-xvf"}:
        return Deed(kind="untar", paths=tuple(plain)) if len(plain) == 2 and "-C" in rest else None
    return None


def _script(command: str | Sequence[str]) -> str | None:
    if isinstance(command, str):
        return None
    match list(command):
        case ["python" | "python3", "-c", script]:
            return script
        case _:
            return None


def _statements(tree: ast.Module, screen: tuple[int, int]) -> Iterator[Gesture]:
    for statement in tree.body:
        match statement:
            case ast.Import(names=names) if all(n.name in ("pyautogui", "time") and not n.asname for n in names):
                continue
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) as call):
                args = [ast.literal_eval(a) for a in call.args]
                named = {k.arg or "": ast.literal_eval(k.value) for k in call.keywords}
                yield from _call(f"{module}.{name}", args, named, screen)
            case _:
                raise ValueError("more than calls of pyautogui and time.sleep")


def _call(name: str, args: list[Any], named: dict[str, Any], screen: tuple[int, int]) -> Iterator[Gesture]:
    """One call. Raises ValueError for what is not understood."""
    match name:
        case "time.sleep" if len(args) == 1 and not named:
            yield Gesture(kind="pause", seconds=_number(args[0]))
        case "pyautogui.hotkey" if not named:
            keys = args[0] if len(args) == 1 and isinstance(args[0], list) else args
            yield Gesture(kind="keys", keys=tuple(map(_key, keys)))
        case "pyautogui.press" if len(args) == 1 and set(named) <= {"presses", "interval"}:
            for key in args[0] if isinstance(args[0], list) else args:
                yield Gesture(kind="keys", keys=(_key(key),), count=int(_number(named.get("presses", 1))))
        case "pyautogui.write" | "pyautogui.typewrite" if len(args) == 1 and isinstance(args[0], str):
            yield Gesture(kind="text", text=args[0])
        case "pyautogui.click" | "pyautogui.doubleClick" if set(named) <= {"x", "y"}:
            x, y = args or (named["x"], named["y"])
            at = (_fraction(x, screen[0]), _fraction(y, screen[1]))
            yield Gesture(kind="click", at=at, count=2 if name.endswith("doubleClick") else 1)
        case "pyautogui.mouseDown" if not args and not named:
            return  # the button goes up again with the next call, where the pointer is
        case "pyautogui.mouseUp" if not args and not named:
            yield Gesture(kind="click")
        case "pyautogui.scroll" if len(args) == 1 and not named:
            yield Gesture(kind="scroll", count=int(_number(args[0])))
        case _:
            raise ValueError(f"no gesture for {name}")


def _key(word: Any) -> str:
    if not isinstance(word, str):
        raise ValueError("a key is a word")  # noqa: TRY004 - callers take ValueError for everything not understood
    low = word.casefold()
    if low in _KEYS:
        return _KEYS[low]
    if (len(low) == 1 and low.isascii() and low.isalnum()) or (low[:1] == "f" and low[1:].isdigit()):
        return low.upper()
    raise ValueError(f"no key {word!r}")


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("needs a number")  # noqa: TRY004 - as above
    return float(value)


def _fraction(value: Any, size: int) -> float:
    found = _number(value) / size
    if not 0.0 <= found <= 1.0:
        raise ValueError("beside the screen")
    return found


def split_command(command: str | Sequence[str], place: str) -> list[str]:
    """The words of a command, without a shell.

    Raises:
        InvalidTask: Its quotes do not match.
    """
    if not isinstance(command, str):
        return list(command)
    try:
        return shlex.split(command)
    except ValueError as wrong:
        raise InvalidTask(f"{place}: {wrong} in {command[:60]!r}", hint="close the quotes") from wrong
