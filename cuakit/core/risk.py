"""Words that announce a consequential action, in several languages.

A risky target is neither offered to a decider nor executable unless its kind is in ``Subtask.allowed_risks``: deciders ask
:func:`forbidden`, actors :func:`consequences`, which also knows keys, chords, forms and drop targets. The
English words are arc-cua's published list; the others are their counterparts in desktop software. Whole words are
matched, so that *Sender* is no *Send*; scripts that write no spaces are matched anywhere in the label.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from cuakit.core.action import Action, Click, DoubleClick, Drag, Hotkey, PressKey, TypeText
from cuakit.core.candidate import Candidate, Candidates

WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "delete": (
            "delete|remove|erase|trash|discard|clear all|empty trash|permanently|"
            "löschen|entfernen|verwerfen|papierkorb|supprimer|effacer|corbeille|eliminar|borrar|papelera|"
            "elimina|cancella|cestino|excluir|apagar|lixeira|verwijderen|wissen|prullenbak|usuń|удалить|стереть|"
            "sil|radera|ta bort|slet|poista"
        ),
        "send": (
            "send|post|publish|share|reply all|forward|tweet|"
            "senden|absenden|veröffentlichen|teilen|weiterleiten|envoyer|publier|partager|transférer|"
            "enviar|publicar|compartir|reenviar|invia|pubblica|condividi|inoltra|compartilhar|encaminhar|"
            "verzenden|delen|doorsturen|wyślij|udostępnij|отправить|опубликовать|поделиться|gönder|paylaş|skicka|dela"
        ),
        "purchase": (
            "buy|purchase|pay|checkout|check out|place order|order now|subscribe|donate|confirm payment|"
            "kaufen|bezahlen|zahlungspflichtig bestellen|bestellen|abonnieren|spenden|acheter|payer|commander|"
            "s'abonner|comprar|pagar|suscribirse|acquista|compra|paga|abbonati|assinar|kopen|betalen|"
            "kup|zapłać|купить|оплатить|satın al|köp|betala"
        ),
        "close": (
            "close|quit|exit|sign out|log out|logout|shut down|restart|uninstall|"
            "schließen|beenden|abmelden|herunterfahren|neu starten|deinstallieren|fermer|quitter|déconnexion|"
            "se déconnecter|éteindre|redémarrer|désinstaller|cerrar|salir|cerrar sesión|apagar equipo|reiniciar|"
            "desinstalar|chiudi|esci|disconnetti|arresta|riavvia|disinstalla|fechar|sair|encerrar|afsluiten|sluiten|"
            "afmelden|zamknij|wyloguj|закрыть|выйти|выключить|kapat|çıkış|stäng|logga ut"
        ),
    }
)
"""Kind → alternatives, each a whole word or phrase."""

UNSPACED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "delete": "删除|刪除|移除|清空|削除|ゴミ箱|삭제|제거",
        "send": "发送|發送|发布|分享|转发|送信|投稿|共有|転送|보내기|전송|게시|공유",
        "purchase": "购买|購買|支付|付款|结账|下单|订阅|購入|支払|注文|구매|결제|주문",
        "close": "关闭|關閉|退出|注销|关机|重启|卸载|閉じる|終了|ログアウト|再起動|닫기|종료|로그아웃",
    }
)
"""Kind → fragments for scripts without spaces between words."""

CHORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ALT+F4": "close",
        "MOD+Q": "close",
        "MOD+W": "close",
        "MOD+F4": "close",
        "MOD+SHIFT+Q": "close",
        "MOD+SHIFT+W": "close",
        "MOD+DELETE": "delete",
        "MOD+SHIFT+DELETE": "delete",
        "SHIFT+DELETE": "delete",
        "MOD+ENTER": "send",
    }
)
"""Chord → kind, where desktop software agrees on what it does. Modifiers in alphabetical order; ``MOD`` stands for ``CTRL`` too."""

_FIELDS: Final = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})
_EXEMPT: Final = frozenset({"textbox", "searchbox", "text", "heading", "document", "image"})


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return {
        kind: re.compile(rf"(?<!\w)(?:{words})(?!\w)|{UNSPACED[kind]}", re.IGNORECASE) for kind, words in WORDS.items()
    }


def risks(label: str) -> frozenset[str]:
    """Kinds of risk that a label announces.

    >>> sorted(risks("Send to trash"))
    ['delete', 'send']
    >>> risks("Sender")
    frozenset()
    """
    return frozenset(kind for kind, pattern in _patterns().items() if pattern.search(label))


def forbidden(candidate: Candidate, allowed: frozenset[str]) -> frozenset[str]:
    """Kinds of risk that acting on a candidate would take without consent.

    Fields that are typed into and plain text are exempt: reading *send* in a sentence sends nothing.

    Args:
        candidate: What would be acted on; name and text are read.
        allowed: Kinds that the subtask consents to.
    """
    if candidate.role in _EXEMPT and "click" not in candidate.actions:
        return frozenset()
    return (risks(candidate.name) | risks(candidate.text)) - allowed


def consequences(action: Action, candidates: Candidates) -> frozenset[str]:
    """Kinds of risk that an action takes, by whatever route.

    A click takes those of what it hits, a drag those of where it ends. ENTER and SPACE take those of the button that has the
    keyboard; ENTER in a field, those of the button that follows it, which is the one that a form submits with. A line break in
    typed text counts as ENTER, because typing by keys presses it. DELETE outside a field deletes. SHIFT changes none of this.

    Args:
        action: Names candidates of the table.
        candidates: What was seen.
    """
    if isinstance(action, Click | DoubleClick):
        return _of(candidates.get(action.target))
    if isinstance(action, Drag):
        return _of(candidates.get(action.to)) if action.to != action.target else frozenset()
    if isinstance(action, TypeText):
        enters = action.then == "ENTER" or "\n" in action.text or "\r" in action.text
        return _submitted(candidates.get(action.target), candidates) if enters else frozenset()
    if isinstance(action, PressKey):
        return _pressed(action, candidates)
    if isinstance(action, Hotkey):
        return _held(action, candidates)
    return frozenset()


def _of(candidate: Candidate | None) -> frozenset[str]:
    return forbidden(candidate, frozenset()) if candidate is not None else frozenset()


def _held(action: Hotkey, candidates: Candidates) -> frozenset[str]:
    """Kinds of a chord, however its modifiers are ordered and whether Control is called CTRL or MOD."""
    *held, key = (word.upper() for word in action.keys)
    modifiers = sorted({"MOD" if word == "CTRL" else word for word in held})
    kind = CHORDS.get("+".join((*modifiers, key)))
    if kind:
        return frozenset({kind})
    return _pressed(PressKey(key=key, target=action.target), candidates) if modifiers == ["SHIFT"] else frozenset()


def _pressed(action: PressKey, candidates: Candidates) -> frozenset[str]:
    focus = candidates.get(action.target) or next((c for c in candidates if "focused" in c.states), None)
    field = focus is not None and (focus.role in _FIELDS or "type" in focus.actions)
    if action.key == "DELETE":
        return frozenset() if field else frozenset({"delete"})
    if action.key == "ENTER" and field:
        return _submitted(focus, candidates)
    return _of(focus) if action.key in ("ENTER", "SPACE") and not field else frozenset()


def _submitted(field: Candidate | None, candidates: Candidates) -> frozenset[str]:
    """Kinds of the button that follows a field in reading order."""
    if field is None:
        return frozenset()
    after = (c for c in candidates if c.role == "button" and c.reading_order > field.reading_order)
    return _of(min(after, key=lambda c: c.reading_order, default=None))
