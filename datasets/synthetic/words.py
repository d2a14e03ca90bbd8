"""Words for labels: plain English, numbers, dates, and some text in other scripts."""

from __future__ import annotations

from random import Random

ENGLISH = (
    "file edit view insert format tools window help project account settings profile user message inbox draft sent "
    "archive report monthly sales invoice order customer product price total amount status active pending closed open "
    "new save cancel apply delete remove add create update search filter sort name date type size modified owner team "
    "calendar event task issue priority high low medium assign comment reply forward print export import download "
    "upload share link copy paste cut undo redo select all none zoom page layout design review data analysis network "
    "server client database table column row value key layer image color brush opacity mode normal width height angle "
    "speed time start stop play pause record volume mute next previous back home about privacy terms contact support "
    "language theme dark light default advanced general options preferences security password login register email "
    "phone address city country code build run debug test terminal output problems source branch commit merge request "
    "main class function return index the of to in for with and on by your this from are is"
).split()

OTHERS = (
    "Datei", "Öffnen", "Größe", "Prüfen", "Übersicht", "fichier", "réglages", "créer", "éditer", "ayuda", "añadir",
    "Поиск", "Файл", "Настройки", "Сохранить", "文件", "编辑", "保存", "取消", "検索", "設定", "表示", "画像", "新建",
    "관리", "검색", "Αρχείο", "Ρυθμίσεις", "קובץ", "ملف", "फ़ाइल",
)  # fmt: skip


def label(rng: Random, least: int = 1, most: int = 2) -> str:
    """A short label, as on a button."""
    if rng.random() < 0.04:
        return " ".join(rng.choice(OTHERS) for _ in range(rng.randint(1, most)))
    text = " ".join(rng.choice(ENGLISH) for _ in range(rng.randint(least, most)))
    return rng.choice((text.title, text.capitalize, text.capitalize, text.capitalize, text.upper, text.lower))()


def number(rng: Random) -> str:
    """A number, a date, a price, a share."""
    return rng.choice(
        (
            f"{rng.randint(0, 99999)}",
            f"{rng.uniform(0, 2000):.2f}",
            f"{rng.randint(1, 28):02}/{rng.randint(1, 12):02}/{rng.randint(1999, 2026)}",
            f"${rng.uniform(1, 999):.2f}",
            f"{rng.randint(0, 100)}%",
            f"{rng.randint(0, 23)}:{rng.randint(0, 59):02}",
            f"#{rng.randint(1, 9999)}",
        )
    )


def value(rng: Random) -> str:
    """What stands in a cell or a field."""
    return number(rng) if rng.random() < 0.45 else label(rng, 1, 3)


def sentence(rng: Random, least: int = 4, most: int = 14) -> str:
    """A line of prose."""
    return label(rng, least, most).capitalize() + rng.choice((".", ".", "", "?"))
