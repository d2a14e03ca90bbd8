"""The watcher that lives in a page: counts changes, remembers requests, knows when the last action began.

It adds no property that a page would find by name, and forwards what it wraps.
"""

from __future__ import annotations

from typing import Final

NAME: Final = "cuakit.quiet"
"""Name of the injected script and of the symbol that the watcher is kept under."""

INSTALL: Final = """
(() => {
  const KEY = Symbol.for('cuakit.quiet');
  const install = w => {
    if (w[KEY]) return w[KEY];
    const now = () => w.performance.now();
    // changes: mutations so far; base: their number when the action began; old: last request from before the action.
    const s = {changes: 0, base: 0, last: -1e9, old: 0, seq: 0, acting: false, written: false, open: new Set(), id: Math.random()};
    Object.defineProperty(w, KEY, {value: s});
    s.idle = () => now() - s.last;
    const note = () => { s.changes += 1; s.last = now(); };
    const watch = root => new w.MutationObserver(note).observe(
      root, {subtree: true, childList: true, attributes: true, characterData: true});
    watch(w.document);
    const known = new WeakSet();
    const watchRoot = root => { if (!known.has(root)) { known.add(root); watch(root); } };
    const watchRoots = root => {
      for (const e of root.querySelectorAll('*'))
        if (e.shadowRoot) { watchRoot(e.shadowRoot); watchRoots(e.shadowRoot); }
    };
    watchRoots(w.document);
    w.addEventListener('DOMContentLoaded', () => watchRoots(w.document), {once: true}); // roots written in the markup
    const attach = w.Element.prototype.attachShadow;
    w.Element.prototype.attachShadow = function attachShadow(init) {
      const root = attach.call(this, init);
      watchRoot(root);
      return root;
    };
    const begin = () => {
      if (!s.acting) { s.acting = true; s.base = s.changes; s.old = s.seq; }
    };
    const early = {capture: true, passive: true};
    for (const kind of ['pointerdown', 'mousedown', 'keydown', 'wheel', 'drop', 'beforeinput', 'input', 'change'])
      w.addEventListener(kind, begin, early);
    w.addEventListener('scroll', note, early);
    for (const kind of ['input', 'change']) w.addEventListener(kind, () => { s.written = true; s.last = now(); }, early);
    const start = () => { s.open.add(++s.seq); return s.seq; };
    const end = id => { if (s.open.delete(id)) s.last = now(); };
    const fetch = w.fetch;
    if (fetch) w.fetch = function (...args) {
      const id = start();
      const answer = fetch.apply(this, args);
      answer.then(() => end(id), () => end(id));
      return answer;
    };
    const send = w.XMLHttpRequest.prototype.send;
    w.XMLHttpRequest.prototype.send = function (...args) {
      const id = start();
      this.addEventListener('loadend', () => end(id), {once: true});
      try { return send.apply(this, args); } catch (e) { end(id); throw e; }
    };
    return s;
  };
  install(window);
  window[Symbol.for('cuakit.quiet')].install = install;
})()
"""
"""Put the watcher into a document; does nothing where it already is."""

_ALL: Final = """
const KEY = Symbol.for('cuakit.quiet');
if (!window[KEY]) return null;
const install = window[KEY].install;
const reach = w => {
  const here = [w];
  for (let i = 0; i < w.frames.length; i++) {
    try { if (w.frames[i].document) here.push(...reach(w.frames[i])); } catch { /* another origin */ }
  }
  return here;
};
const windows = reach(window);
const all = windows.map(w => install(w));
"""


def probe(frames: int) -> str:
    """One look; null where there is no watcher. With ``frames``, that many animation frames pass first.

    Gives ``id`` of the document, ``ready``, ``reacted``: the page changed, ``written``: a field did, ``pending`` requests of the action, ``running`` animations that
    end, ``idle_ms`` since the last change, and ``still``: nothing changed during the frames.
    """
    return f"""(async () => {{{_ALL}
const count = () => all.reduce((n, s) => n + s.changes, 0);
const before = count();
// A hidden page gets no frames: it is not waited for longer than it would take to draw them.
const frame = () => new Promise(go => {{ requestAnimationFrame(go); setTimeout(go, 50); }});
for (let i = 0; i < {frames}; i++) await frame();
const ends = a => a.playState === 'running' && Number.isFinite(a.effect?.getComputedTiming().endTime);
return {{
  id: all[0].id,
  ready: windows.every(w => w.document.readyState === 'complete'),
  reacted: all.some(s => s.changes > s.base),
  written: all.some(s => s.written),
  pending: all.reduce((n, s) => n + [...s.open].filter(id => id > s.old).length, 0),
  running: windows.reduce((n, w) => n + w.document.getAnimations().filter(ends).length, 0),
  idle_ms: Math.min(...all.map(s => s.idle())),
  still: count() === before,
}};
}})()"""


FINISH: Final = f"""(() => {{{_ALL}
for (const s of all) {{ s.acting = s.written = false; s.base = s.changes; s.old = s.seq; }}
return all[0].id;
}})()"""
"""The wait is over: what comes next belongs to the next action. Gives the document's id."""
