import pytest

from cuakit.act import keymap
from cuakit.backends.input.us_keyboard import CHARACTERS
from cuakit.core.errors import UsageError
from cuakit.core.subtask import is_key

WORDS = [
    *"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    *(f"F{n}" for n in range(1, 21)),
    *(
        "ENTER ESCAPE TAB SPACE BACKSPACE DELETE ARROW_UP ARROW_DOWN ARROW_LEFT ARROW_RIGHT HOME END PAGE_UP PAGE_DOWN "
        "MINUS EQUAL LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON QUOTE COMMA PERIOD SLASH GRAVE"
    ).split(),
]


def test_the_keymap_knows_exactly_the_words_of_the_vocabulary():
    assert set(keymap.KEYS) == set(WORDS)
    assert all(is_key(word) for word in keymap.KEYS)


def test_no_two_words_are_the_same_key():
    assert len({k.code for k in keymap.KEYS.values()}) == len(keymap.KEYS)
    assert len({k.vk for k in keymap.KEYS.values()}) == len(keymap.KEYS)


def test_every_printable_ascii_character_has_its_key():
    assert set(CHARACTERS) == {chr(c) for c in range(0x20, 0x7F)}
    for character, key in CHARACTERS.items():
        assert character in (key.text, key.shifted)


@pytest.mark.parametrize(
    ("word", "key", "code", "vk"),
    [
        ("A", "a", "KeyA", 65),
        ("ENTER", "Enter", "Enter", 13),
        ("F5", "F5", "F5", 116),
        ("GRAVE", "`", "Backquote", 192),
        ("1", "1", "Digit1", 49),
    ],
)
def test_keys_say_what_browsers_say(word, key, code, vk):
    found = keymap.key(word)
    assert (found.key, found.code, found.vk) == (key, code, vk)


@pytest.mark.parametrize(("mac", "bit", "key"), [(False, 2, "Control"), (True, 4, "Meta")])
def test_mod_is_control_except_on_macos(mac, bit, key):
    (mod,) = keymap.modifiers(["MOD"], mac=mac)
    assert (mod.bit, mod.key) == (bit, key)


def test_modifiers_are_distinct_bits_and_keep_their_order():
    held = keymap.modifiers(["SHIFT", "ALT", "MOD"], mac=False)
    assert [k.bit for k in held] == [8, 1, 2]


@pytest.mark.parametrize(
    ("words", "mac"),
    [(["MOD", "CTRL"], False), (["ALT", "ALT"], False), (["META"], True), (["mod"], True), (["A"], False)],
)
def test_what_cannot_be_held_is_named(words, mac):
    with pytest.raises(UsageError, match=words[-1]):
        keymap.modifiers(words, mac=mac)


def test_mod_and_ctrl_are_two_keys_on_macos():
    assert len(keymap.modifiers(["MOD", "CTRL"], mac=True)) == 2


@pytest.mark.parametrize("word", ["", "a", "Enter", "MOD", "F21", "ß"])
def test_an_unknown_key_is_named(word):
    with pytest.raises(UsageError, match="no key named"):
        keymap.key(word)
