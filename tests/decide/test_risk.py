import pytest

from cuakit.core.risk import risks
from cuakit.core.subtask import Subtask
from cuakit.decide.offers import offers


@pytest.mark.parametrize(
    ("label", "kinds"),
    [
        ("Delete", {"delete"}),
        ("Send", {"send"}),
        ("Sender", set()),
        ("Payload", set()),
        ("Repay", set()),
        ("Place order", {"purchase"}),
        ("Log out", {"close"}),
        ("Log output", set()),
        ("Enclosed", set()),
        ("CLOSE WINDOW", {"close"}),
        ("Löschen", {"delete"}),
        ("Zahlungspflichtig bestellen", {"purchase"}),
        ("Supprimer", {"delete"}),
        ("Cerrar sesión", {"close"}),
        ("删除文件", {"delete"}),
        ("送信する", {"send"}),
        ("Удалить", {"delete"}),
        ("Delete and close", {"delete", "close"}),
        ("", set()),
    ],
)
def test_risk_words_are_whole_words_in_many_languages(label, kinds):
    assert risks(label) == kinds


def test_a_risky_button_is_not_on_offer_without_consent(scene):
    seen = scene.screen(scene.row(1, "button", "Delete"), scene.row(2, "button", "Keep"))
    assert [o.candidate.id for o in offers(Subtask(goal="tidy up"), seen)] == ["c02"]


def test_consent_puts_it_on_offer_and_consent_to_another_kind_does_not(scene):
    seen = scene.screen(scene.row(1, "button", "Delete"))
    assert offers(Subtask(goal="tidy up", allowed_risks=frozenset({"send"})), seen) == ()
    assert len(offers(Subtask(goal="tidy up", allowed_risks=frozenset({"delete"})), seen)) == 1


def test_a_risky_word_in_the_text_of_a_named_button_counts(scene):
    seen = scene.screen(scene.row(1, "button", "Go", text="Buy now"))
    assert offers(Subtask(goal="go"), seen) == ()


def test_every_route_to_a_risky_target_is_closed(scene):
    seen = scene.screen(scene.row(1, "combobox", "Delete account", actions=("click", "type", "set_value")))
    assert offers(Subtask(goal="go"), seen) == ()
