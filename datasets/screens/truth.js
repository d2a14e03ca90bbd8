// What the reader of controls does not tell, in CSS pixels: every line of text that is drawn in a page, from the words of its
// text nodes, as [text, left, top, right, bottom]; where the labels of check boxes are; and pictures, of which nothing is known.
(keys => {
  const words = [];
  const seen = (element, rect) => {
    const x = (rect.left + rect.right) / 2, y = (rect.top + rect.bottom) / 2;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || rect.width < 1 || rect.height < 4) return false;
    let top = element.ownerDocument.elementFromPoint(x, y);
    while (top && top.shadowRoot && top.shadowRoot !== element.getRootNode()) {
      const inner = top.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === top) break;
      top = inner;
    }
    return !!top && (top === element || top.contains(element) || element.contains(top)
      || top.shadowRoot?.contains(element) || getComputedStyle(element).pointerEvents === 'none');
  };
  const faint = element => {
    for (let e = element; e; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.visibility !== 'visible' || parseFloat(style.opacity) < 0.3) return true;
    }
    return false;
  };
  const read = root => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === Node.ELEMENT_NODE) {
        if (node.shadowRoot) read(node.shadowRoot);
        continue;
      }
      const parent = node.parentElement;
      if (!parent || !node.data.trim() || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION', 'TEXTAREA', 'TITLE'].includes(parent.tagName)) continue;
      if (faint(parent)) continue;
      const transform = getComputedStyle(parent).textTransform;
      for (const match of node.data.matchAll(/\S+/g)) {
        const range = document.createRange();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        const rects = [...range.getClientRects()].filter(r => r.width > 0);
        if (rects.length !== 1 || !seen(parent, rects[0])) continue;
        const r = rects[0];
        const word = transform === 'uppercase' ? match[0].toUpperCase() : transform === 'lowercase' ? match[0].toLowerCase()
          : transform === 'capitalize' ? match[0][0].toUpperCase() + match[0].slice(1) : match[0];
        words.push({text: word, left: r.left, top: r.top, right: r.right, bottom: r.bottom,
          private: /[\ue000-\uf8ff]/.test(word)});
      }
    }
  };
  read(document.body);
  const lines = [];
  for (const w of words) {
    if (w.private) continue; // a glyph of an icon font
    const height = w.bottom - w.top;
    const line = lines.findLast(l => Math.min(l.bottom, w.bottom) - Math.max(l.top, w.top) > 0.7 * height
      && w.left - l.right < 0.6 * height && w.left >= l.right - 1 && Math.abs(height - (l.bottom - l.top)) < 0.3 * height);
    if (line) {
      line.text += (w.left - line.right > 0.08 * height ? ' ' : '') + w.text;
      line.right = w.right;
      line.top = Math.min(line.top, w.top);
      line.bottom = Math.max(line.bottom, w.bottom);
    } else lines.push({...w});
  }
  const box = rect => [rect.left, rect.top, rect.right, rect.bottom];
  const labels = {};
  for (const [id, key] of Object.entries(keys)) {
    const label = globalThis[Symbol.for('cuakit.dom')].element(key)?.labels?.[0];
    if (!label || !label.textContent.trim()) continue;
    const range = document.createRange();
    range.selectNodeContents(label);
    labels[id] = box(range.getBoundingClientRect());
  }
  const blind = [...document.querySelectorAll('canvas,img,video,iframe,object,embed,svg')]
    .map(e => e.getBoundingClientRect())
    .filter(r => r.width >= 24 && r.height >= 24 && r.width * r.height < 0.6 * innerWidth * innerHeight
      && r.right > 0 && r.bottom > 0 && r.left < innerWidth && r.top < innerHeight)
    .map(box);
  for (const e of [document.documentElement, ...document.querySelectorAll('body *')]) { // scroll bars are no part of the document
    const style = getComputedStyle(e), r = e.getBoundingClientRect();
    const root = e === document.documentElement;
    const wide = root ? innerWidth - e.clientWidth : e.offsetWidth - e.clientWidth - parseFloat(style.borderLeftWidth) - parseFloat(style.borderRightWidth);
    const high = root ? innerHeight - e.clientHeight : e.offsetHeight - e.clientHeight - parseFloat(style.borderTopWidth) - parseFloat(style.borderBottomWidth);
    const [right, bottom] = root ? [innerWidth, innerHeight] : [r.right, r.bottom];
    if (!root && !/auto|scroll/.test(style.overflow)) continue;
    if (wide > 6) blind.push([right - wide - 2, Math.max(0, r.top), right, bottom]);
    if (high > 6) blind.push([Math.max(0, r.left), bottom - high - 2, right, bottom]);
  }
  return {lines: lines.map(l => [l.text, ...box(l)]), labels, blind};
})
