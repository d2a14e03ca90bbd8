"""Words that announce a consequential action, in several languages.

A risky target is neither offered to a decider nor executable unless its kind is in ``Subtask.allowed_risks``. The
English words are arc-cua's published list; the others are their counterparts in desktop software. Whole words are
matched, so that *Sender* is no *Send*; scripts that write no spaces are matched anywhere in the label.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from cuakit.core.candidate import Candidate

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
