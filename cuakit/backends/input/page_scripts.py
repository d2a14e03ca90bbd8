"""Scripts that input needs inside a page. They see through open shadow roots and same-origin frames."""

from __future__ import annotations

import json
from typing import Final

READ_LIMIT: Final = 20_000
"""Longest field that is read back, in characters."""

_HELPERS: Final = """
const into = e => { try { return e && e.tagName === 'IFRAME' ? e.contentDocument : null; } catch { return null; } };
const active = () => {
  let e = document.activeElement;
  for (;;) {
    const inner = e && (e.shadowRoot ? e.shadowRoot.activeElement : into(e)?.activeElement);
    if (!inner) return e;
    e = inner;
  }
};
const at = (x, y) => {
  let root = document, e = null;
  for (;;) {
    const found = root.elementFromPoint(x, y);
    if (!found || found === e) return [e, x, y];
    e = found;
    if (e.shadowRoot) { root = e.shadowRoot; continue; }
    const doc = into(e);
    if (!doc) return [e, x, y];
    const r = e.getBoundingClientRect();
    x -= r.left + e.clientLeft; y -= r.top + e.clientTop; root = doc;
  }
};
const NATIVE = ['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'];
const FREE = e => e.tagName === 'TEXTAREA' || (e.tagName === 'INPUT' &&
  !['button', 'checkbox', 'file', 'hidden', 'image', 'radio', 'reset', 'submit', ...NATIVE].includes(e.type));
const TICKS = '[role=checkbox],[role=radio],[role=switch],[role=menuitemcheckbox],[role=menuitemradio]';
const field = e => {
  if (!e) return null;
  const near = e.closest('input,textarea,select,option,label,[contenteditable],' + TICKS) || e;
  if (near.tagName === 'LABEL') return near.control || near;
  return near.tagName === 'OPTION' ? near.closest('select') || near : near;
};
const same = (a, b) => a.replace(/\\s+/g, ' ').trim() === b.replace(/\\s+/g, ' ').trim();
const isTick = e => (e.tagName === 'INPUT' && ['checkbox', 'radio'].includes(e.type)) || e.matches(TICKS);
const ticked = e => e.tagName === 'INPUT' ? e.checked : e.getAttribute('aria-checked') === 'true';
"""


def _script(body: str) -> str:
    return f"(() => {{{_HELPERS}{body}}})()"


def focused() -> str:
    """What has the keyboard: ``{"kind": "text" | "native" | "other", "value"}``; value is None where it has none."""
    return _script(f"""
const e = active();
if (!e) return {{kind: 'other', value: null}};
const v = FREE(e) || NATIVE.includes(e.type) ? e.value : e.isContentEditable ? e.innerText : null;
const kind = e.tagName === 'INPUT' && NATIVE.includes(e.type) ? 'native' : v === null ? 'other' : 'text';
return {{kind, value: v !== null && v.length <= {READ_LIMIT} ? v : null}};
""")


def focus(x: float, y: float) -> str:
    """Give what is at a point the keyboard, unless it has it already."""
    return _script(f"""
let e = at({x!r}, {y!r})[0];
const has = active();
e = field(e) || e;
while (e && e !== has && e.tabIndex < 0 && !e.isContentEditable) e = e.parentElement;
if (e && e !== has && !e.contains(has)) e.focus({{preventScroll: true}});
""")


def set_value(x: float, y: float, value: str) -> str:
    """Write the field at a point, or say what has to be done by hand.

    Gives ``{"did": "set" | "already", "seen"}``, ``{"did": "click"}``, ``{"did": "type"}`` or
    ``{"did": "nothing", "why"}``.
    """
    return _script(f"""
const wanted = {json.dumps(value)}, e = field(at({x!r}, {y!r})[0]);
const nothing = why => ({{did: 'nothing', why}});
if (!e) return nothing('there is no element at that point');
if (e.matches(':disabled') || e.getAttribute('aria-disabled') === 'true') return nothing('the field is disabled');
const tell = () => {{
  e.dispatchEvent(new Event('input', {{bubbles: true, composed: true}}));
  e.dispatchEvent(new Event('change', {{bubbles: true}}));
}};
if (e.tagName === 'SELECT') {{
  const words = e.multiple ? wanted.split('\\n') : [wanted];
  const picks = words.map(w => {{
    const all = [...e.options].filter(o => !o.disabled);
    return all.find(o => same(o.label, w)) || all.find(o => o.value === w)
      || all.find(o => same(o.label.toLowerCase(), w.toLowerCase()));
  }});
  if (picks.includes(undefined)) return nothing('the list has no such option');
  if ([...e.options].every(o => o.selected === picks.includes(o))) return {{did: 'already'}};
  e.focus({{preventScroll: true}});
  for (const o of e.options) o.selected = picks.includes(o);
  tell();
  return {{did: 'set', seen: picks.every(o => o.selected) ? 'same' : 'partial'}};
}}
if (isTick(e)) {{
  if (!['true', 'false'].includes(wanted)) return nothing('a box takes true or false');
  if (ticked(e) === (wanted === 'true')) return {{did: 'already'}};
  if (wanted === 'false' && (e.type === 'radio' || e.matches('[role=radio],[role=menuitemradio]')))
    return nothing('a radio button is left by choosing another');
  return {{did: 'click'}};
}}
if (e.tagName === 'INPUT' && NATIVE.includes(e.type)) {{
  if (e.readOnly) return nothing('the field is read-only');
  const before = e.value;
  e.focus({{preventScroll: true}});
  Object.getOwnPropertyDescriptor(e.ownerDocument.defaultView.HTMLInputElement.prototype, 'value').set.call(e, wanted);
  const kept = e.value === wanted || (e.type === 'range' && Math.abs(e.value - wanted) < 1e-9);
  if (e.value === before) return kept ? {{did: 'already'}} : nothing(`the field (${{e.type}}) does not take that value`);
  tell();
  return {{did: 'set', seen: kept ? 'same' : 'partial'}};
}}
if (FREE(e) || e.isContentEditable) return e.readOnly ? nothing('the field is read-only') : {{did: 'type'}};
return nothing('what is at that point holds no value');
""")


def checked(x: float, y: float, value: str) -> str:
    """Whether the box at a point reads as wanted: ``"same"``, ``"unchanged"`` or ``"unknown"``."""
    return _script(f"""
const e = field(at({x!r}, {y!r})[0]);
return !e || !isTick(e) ? 'unknown' : ticked(e) === ({json.dumps(value)} === 'true') ? 'same' : 'unchanged';
""")
