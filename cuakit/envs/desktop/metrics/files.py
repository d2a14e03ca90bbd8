"""Metrics of text files and of what they describe."""

from __future__ import annotations

import contextlib
import csv
import difflib
import json
import re
import sqlite3
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from cuakit.envs.desktop.metrics.rules import holds

_BLANKS: Final = re.compile(r"\s+")
_PREF: Final = re.compile(r'user_pref\("(?P<key>(?:[^"]|\\")+)", (?P<value>.+)\);$')


def text_of(path: str | Path) -> str:
    """Text of a file in UTF-8, else in Latin-1, which reads anything."""
    data = Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def check_list(result: str | None, rules: Mapping[str, Sequence[str]]) -> float:
    """Whether each expected pattern is in some line of a file, and no unexpected one in any."""
    if result is None:
        return 0.0
    lines = text_of(result).splitlines()
    found = all(any(re.search(p, line) for line in lines) for p in rules.get("expect", ()))
    return float(found and not any(re.search(p, line) for line in lines for p in rules.get("unexpect", ())))


def check_csv(result: str | None, rules: Mapping[str, Sequence[Mapping[str, str]]]) -> float:
    """Whether a table has rows with the expected entries, and none with unexpected ones."""
    if result is None:
        return 0.0
    rows = list(csv.DictReader(text_of(result).splitlines()))

    def there(wanted: Mapping[str, str]) -> bool:
        return any(all(row.get(k) == v for k, v in wanted.items()) for row in rows)

    return float(all(map(there, rules.get("expect", ()))) and not any(map(there, rules.get("unexpect", ()))))


def compare_csv(
    result: str | None, expected: str | Sequence[str], *, strict: bool = True, ignore_case: bool = False, **_: Any
) -> float:
    """Whether a table reads like one of the expected ones, line by line."""
    if result is None:
        return 0.0

    def lines(path: str) -> list[str]:
        text = text_of(path).casefold() if ignore_case else text_of(path)
        return [line if strict else line.strip() for line in text.splitlines()]

    mine = lines(result)
    return float(any(mine == lines(e) for e in ([expected] if isinstance(expected, str) else expected)))


def compare_text_file(
    result: str | None, expected: str, *, ignore_blanks: bool = False, ignore_case: bool = False, **_: Any
) -> float:
    """Whether two texts are the same."""
    if not result:
        return 0.0
    texts = [text_of(result), text_of(expected)]
    if ignore_blanks:
        texts = [" ".join(t.split()) for t in texts]
    if ignore_case:
        texts = [t.casefold() for t in texts]
    return float(texts[0] == texts[1])


def compare_python_pure_text(result: str | None, expected: str, **_: Any) -> float:
    """Whether two programs are the same apart from white space."""
    if not result:
        return 0.0
    mine, theirs = (_BLANKS.sub("", text_of(p)) for p in (result, expected))
    return float(mine == theirs)


def diff_text_file(result: str | None, expected: str, **_: Any) -> float:
    """Likeness of two texts, by lines."""
    if result is None:
        return 0.0
    return difflib.SequenceMatcher(a=text_of(result).splitlines(), b=text_of(expected).splitlines()).ratio()


def check_json(result: str | None, rules: Mapping[str, Any], *, is_yaml: bool = False) -> float:
    """Whether values deep in a JSON or YAML file keep rules."""
    data = _data(result, is_yaml=is_yaml)
    if data is None:
        return 0.0
    for rule in rules.get("expect", ()):
        found, value = _deep(data, rule["key"])
        if not found or not holds(value, rule):
            return 0.0
    return float(not any(holds(_deep(data, r["key"])[1], r) for r in rules.get("unexpect", ())))


def check_json_settings(result: str | None, rules: Mapping[str, Any], **_: Any) -> float:
    """Whether a JSON file has the expected entries."""
    data = _data(result)
    return float(isinstance(data, dict) and all(data.get(k) == v for k, v in rules["expected"].items()))


def check_json_keybindings(result: str | None, rules: Mapping[str, Any], **_: Any) -> float:
    """Whether a list of key bindings holds the expected one."""
    data = _data(result, comments=True)
    return float(isinstance(data, list) and rules["expected"] in data)


def compare_config(result: str | None, rules: Mapping[str, Any], *, containment_ok: bool = False, **_: Any) -> float:
    """Whether a settings file reads as expected, or contains that."""
    if result is None:
        return 0.0
    text, wanted = text_of(result), str(rules["expected"])
    return float(text == wanted or (containment_ok and wanted in text))


def file_contains(result: str | None, rules: Mapping[str, Sequence[str]]) -> float:
    """Whether a file holds every word."""
    return float(result is not None and all(w in text_of(result) for w in rules["expected"]))


def check_config_status(result: str | None, rule: Mapping[str, Any]) -> float:
    """Whether a setting of GIMP's has a value."""
    if result is None:
        return 0.0
    key = rule["key"]
    path = [key] if isinstance(key, str) else list(key)
    for line in text_of(result).splitlines():
        words = line.strip().lstrip("(").rstrip(")").split()
        if not line.startswith("#") and words[: len(path)] == path and words[-1] == rule["value"]:
            return 1.0
    return 0.0


def check_thunderbird_prefs(result: str | None, rule: Mapping[str, Mapping[str, Any]]) -> float:
    """Whether preferences of Thunderbird's keep rules."""
    if result is None:
        return 0.0
    found: dict[str, Any] = {}
    for line in text_of(result).splitlines():
        if m := _PREF.match(line.strip()):
            with contextlib.suppress(ValueError):  # a line that Thunderbird could not read either
                found[m["key"]] = json.loads(m["value"])
    kept = all(k in found and holds(found[k], r) for k, r in rule.get("expect", {}).items())
    return float(kept and not any(k in found and holds(found[k], r) for k, r in rule.get("unexpect", {}).items()))


def compare_archive(result: str | None, expected: str, *, file_type: str = "text", **_: Any) -> float:
    """Whether two archives hold the same files with like contents; by bytes unless they are texts."""
    if result is None:
        return 0.0
    mine, theirs = _members(result), _members(expected)
    if mine is None or theirs is None or mine.keys() != theirs.keys():
        return 0.0
    if file_type == "text":
        return float(all(mine[k].split() == theirs[k].split() for k in mine))
    return float(mine == theirs)


def compare_zip_files(result: str | None, expected: str, **_: Any) -> float:
    """Whether two archives hold the same bytes under the same names."""
    mine = _members(result) if result else None
    return float(mine is not None and mine == _members(expected))


def run_sqlite3(result: str | None, rules: Mapping[str, str]) -> float:
    """The first value that a question to a database gives. It is opened for reading only."""
    if result is None:
        return 0.0
    base = sqlite3.connect(f"{Path(result).resolve().as_uri()}?mode=ro", uri=True)
    try:
        row = base.execute(rules["sql"]).fetchone()
    except sqlite3.Error:
        return 0.0
    finally:
        base.close()
    return float((row or [0])[0] or 0)


def _members(path: str) -> dict[str, bytes] | None:
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(i.file_size for i in archive.infolist()) > 1 << 28:
                return None  # an archive that unpacks to more than any fixture
            return {i.filename: archive.read(i) for i in archive.infolist() if not i.is_dir()}
    except (OSError, zipfile.BadZipFile):
        return None


def _data(path: str | None, *, is_yaml: bool = False, comments: bool = False) -> Any:
    if path is None:
        return None
    text = text_of(path)
    if comments:
        text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
    try:
        return yaml.safe_load(text) if is_yaml else json.loads(text)
    except (ValueError, yaml.YAMLError, RecursionError):
        return None


def _deep(data: Any, keys: Sequence[Any]) -> tuple[bool, Any]:
    for key in keys:
        try:
            data = data[key]
        except (KeyError, TypeError, IndexError):
            return False, None
    return True, data
