import pytest
from hypothesis import given, settings, strategies as st

from cuakit.envs.miniwob.utterance import inputs_of


@pytest.mark.parametrize(
    ("utterance", "bold", "expected"),
    [
        ("Click the button.", [], {}),
        ('Enter "Ann" into the text field and press Submit.', ["Ann"], {"text": "Ann"}),
        (
            'Enter the username "kim" and the password "p w" into the text fields and press login.',
            ["username", "password"],
            {"username": "kim", "password": "p w"},
        ),
        ('starts with "Ab" and ends with "ia".', [], {"text": "Ab", "text_2": "ia"}),
        ('both "a" and "a"', [], {"text": "a"}),
        (
            "Enter 05/21/2014 as the date and hit submit.",
            ["05/21/2014"],
            {"date": "05/21/2014", "date_iso": "2014-05-21"},
        ),
        ("Enter 8:24 AM as the time and press submit.", [], {"time": "8:24 AM", "time_iso": "08:24"}),
        ("at 12:05 AM", [], {"time": "12:05 AM", "time_iso": "00:05"}),
        ("at 12:05 PM", [], {"time": "12:05 PM", "time_iso": "12:05"}),
        ("at 17:30", [], {"time": "17:30", "time_iso": "17:30"}),
        ("Select -7 with the slider and hit Submit.", [], {"number": "-7"}),
        ("Set the sliders to the combination [4,11,0]", [], {"number": "4", "number_2": "11", "number_3": "0"}),
        ("Click on Tab #2.", [], {}),
        ('Type "Kim" in all upper case letters.', [], {"text": "KIM"}),
        ('Type "KIM" in all lower case letters.', [], {"text": "kim"}),
        (
            "Search for drama movies directed by Lee from year 1999.",
            ["drama", "Lee", "1999"],
            {"text": "drama", "directed": "Lee", "year": "1999"},
        ),
        ("Find the 2nd word", [], {}),
    ],
)
def test_literals_are_found_by_rules_of_language(utterance, bold, expected):
    assert list(inputs_of(utterance, bold).items()) == list(expected.items())


@settings(deadline=None)  # time says nothing on a shared machine
@given(st.text(max_size=60), st.lists(st.text(max_size=8), max_size=4))
def test_every_input_stands_in_the_sentence_or_in_bold(utterance, bold):
    seen = utterance.casefold()
    for name, value in inputs_of(utterance, bold).items():
        assert name.endswith("_iso") or value.casefold() in seen or value in [b.strip() for b in bold]
