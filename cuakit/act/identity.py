"""A page's own word on whether a candidate is still the same object: same node, in the page, reached by the point.

Pixels cannot tell a look-alike that replaced the element, and cannot see what has no pixels, such as a transparent sheet
over the page. The page can. It is only asked about candidates that it named itself; a pixels-only agent gets no help.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, Protocol

from cuakit.core.candidate import Candidate
from cuakit.core.errors import LeaseError
from cuakit.core.geometry import Point

PREFIX: Final = "dom:"
"""Provenance of candidates that come from a page's document; the reader's key follows."""

_CHECK: Final = """((key, x, y, was) => {
  const dom = globalThis[Symbol.for('cuakit.dom')];
  if (!dom) return ['capture_stale', 'its document was replaced'];
  const tidy = t => t.replace(/\\s+/g, ' ').trim();
  let hit = document.elementFromPoint(x, y);
  for (let depth = 0; hit && depth < 50; depth++) {
    let inner = null;
    if (hit.shadowRoot) inner = hit.shadowRoot.elementFromPoint(x, y);
    else if (hit.localName === 'iframe' || hit.localName === 'frame') {
      let doc = null;
      try { doc = hit.contentDocument; } catch { /* another origin */ }
      if (doc) {
        const r = hit.getBoundingClientRect(), k = hit.offsetWidth ? r.width / hit.offsetWidth : 1;
        const style = hit.ownerDocument.defaultView.getComputedStyle(hit);
        x = (x - r.left) / k - hit.clientLeft - parseFloat(style.paddingLeft);
        y = (y - r.top) / k - hit.clientTop - parseFloat(style.paddingTop);
        inner = doc.elementFromPoint(x, y);
      }
    }
    if (!inner || inner === hit) break;
    hit = inner;
  }
  const up = n => n.assignedSlot || n.parentElement || (n.parentNode && n.parentNode.host) || null;
  // A page that draws itself again puts equal nodes in place of old ones. The whole part that was replaced must be equal,
  // attributes and all: a button that equals the old one in a row that does not is another button.
  const heir = old => {
    let levels = 0, top = old;
    for (; top.parentNode; top = top.parentNode) levels++;
    for (let n = hit; n; n = up(n)) {
      if (!n.isEqualNode(old)) continue;
      let whole = n;
      for (let i = 0; whole && i < levels; i++) whole = whole.parentNode;
      if (whole && whole.isEqualNode(top)) return n;
    }
    return null;
  };
  const old = dom.element(key.split('/')[0]);
  const found = !old || old.isConnected ? old : was.focused ? null : heir(old); // a new field has no keyboard yet
  if (!found) return ['capture_stale', 'it is no longer in the page'];
  const line = found.nodeType === 3;
  const own = line ? found.parentNode.host || found.parentNode : found;
  const text = line ? tidy(found.data) : own.firstElementChild || own.shadowRoot ? null : tidy(own.textContent);
  if (was.text && text !== null && !text.includes(was.text)) return ['capture_stale', 'its text changed'];
  const off = own.matches(':disabled') || own.getAttribute('aria-disabled') === 'true';
  if (off && !was.disabled) return ['capture_stale', 'it was disabled'];
  if (typeof own.checked === 'boolean' && own.checked !== was.checked) return ['capture_stale', 'it was toggled'];
  if (was.focused) {
    let active = own.ownerDocument.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    let here = active === own;
    for (let w = own.ownerDocument.defaultView; here && w !== window; w = w.parent)
      here = w.parent.document.activeElement === w.frameElement;
    if (!here) return ['capture_stale', 'the keyboard went elsewhere'];
  }
  const inside = (n, whole) => { for (; n; n = up(n)) if (n === whole || (n.localName === 'label' && n.control === whole)) return true; return false; };
  if (!hit || !(inside(hit, own) || (line && inside(own, hit)))) return ['candidate_occluded', 'something covers it now'];
  return null;
})"""


class ScriptedPage(Protocol):
    """What is needed of a page."""

    def evaluate(self, expression: str, *, timeout_s: float = ...) -> Any:
        """Value of a script."""


@dataclass(frozen=True, slots=True)
class DomIdentity:
    """Asks one page about its candidates.

    Args:
        page: A page that the DOM reader works on.
    """

    page: ScriptedPage

    def __call__(self, candidate: Candidate, point: Point, /, *, focused: bool = False) -> None:
        """Let a candidate pass.

        Args:
            candidate: As it was observed.
            point: Where input will go, in CSS pixels.
            focused: Whether it must have the keyboard.

        Raises:
            LeaseError: ``capture_stale`` or ``candidate_occluded``.
            BackendError: The page does not answer.
        """
        key = next((p.removeprefix(PREFIX) for p in candidate.provenance if p.startswith(PREFIX)), "")
        if not key:
            return
        was = {
            "text": candidate.text if candidate.source == "dom" else "",
            "disabled": "disabled" in candidate.states,
            "checked": "checked" in candidate.states,
            "focused": focused,
        }
        wrong = self.page.evaluate(f"{_CHECK}({json.dumps(key)}, {point.x!r}, {point.y!r}, {json.dumps(was)})")
        if wrong is not None:
            code, why = wrong
            raise LeaseError(code, f"{candidate.id} ({candidate.role}): {why}")
