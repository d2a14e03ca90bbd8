// The walk over the document, and what it hands out.

const read = (options) => {
  const rows = [];
  const frames = new Map();
  const operable = new Set();
  const clips = new Map();
  const raised = []; // boxes that may cover text: everything that is positioned
  const range = document.createRange();
  const view = [0, 0, innerWidth, innerHeight];
  const viewArea = innerWidth * innerHeight;
  let offscreen = 0;
  let focused = document.activeElement;
  const focusChain = new Set();
  while (focused) {
    focusChain.add(focused);
    const frameDoc = focused.localName === "iframe" ? documentOf(focused) : null;
    const inner = focused.shadowRoot ? focused.shadowRoot.activeElement : frameDoc ? frameDoc.activeElement : null;
    if (!inner) break;
    focused = inner;
  }

  const emit = (row) => { rows.push(row); return rows.length - 1; };

  const element = (el, tag, role, evidence, at, style) => {
    const { frame, up, clip } = at;
    const raw = toTop(frame, el.getBoundingClientRect());
    let box = meet(raw, clip);
    const out = !area(box);
    const speck = box[2] - box[0] < SPECK || box[3] - box[1] < SPECK;
    if (speck && !(evidence && evidence.sure)) return -1;
    if (out) {
      if (!area(raw) || !evidence || !evidence.operable || evidence.guess || offscreen >= options.offscreen) return -1;
      box = raw;
    }
    const replaced = tag === "input" && /checkbox|radio|file|range/.test(el.type);
    if (!shown(el) && !(replaced && el.checkVisibility({ visibilityProperty: true }))) return -1;
    const surface = Boolean(evidence) && !role && area(raw) > SURFACE_SHARE * viewArea;
    if (surface && (el === frame.doc.body || el === frame.doc.documentElement)) return -1;
    const input = tag === "input" || tag === "textarea" || el.isContentEditable;
    const secret = input && isSecret(el);
    let text = "", score = 1, inferred = false;
    let name = nameOf(el, tag, role);
    if (!role) {
      const holds = surface || !evidence || el.querySelector(FINDABLE);
      const words = holds ? "" : contentText(el);
      const drawing = !holds && !words && smallIcon(el, raw);
      if (words && words.length < NAME_LIMIT / 2) { role = "button"; name = name || words; text = words; }
      else if (drawing) { role = name ? "button" : "icon"; name = name || describe(drawing, drawing.localName); }
      else role = holds || words || el.firstElementChild ? "group" : "image";
      score = surface ? 0.3 : 0.8;
      inferred = true;
    } else if (NAMED_BY_CONTENT.has(role) && !input) text = contentText(el);
    if (!name && role === "image" && tag !== "canvas") name = describe(el, tag);
    if (!name && evidence && !surface && !text) {
      name = hint(el, role);
      if (name) score = Math.min(score, 0.6);
    }
    if (out && !evidence.sure && !name) return -1;
    if (evidence && evidence.guess) score = Math.min(score, 0.5);
    const states = statesOf(el, tag, secret, focused);
    if (out) { states.push("offscreen"); offscreen++; }
    if (evidence && evidence.operable) {
      operable.add(el);
      if (up >= 0 && rows[up].inferred) rows[up].role = "group"; // it holds something to use, so it is no button
    }
    return emit({
      el, frame, clip, box, role, name, text, score, up, states, out, inferred,
      value: secret ? "" : valueOf(el, tag, role),
      actions: actionsOf(el, tag, role, evidence || {}, style),
      inline: style.display === "inline", tested: Boolean(evidence),
    });
  };

  const choices = (select, at, frame) => { // a closed list has no boxes of its own
    for (const option of [...select.options].slice(0, OPTION_LIMIT)) {
      const states = ["offscreen"];
      if (option.selected) states.unshift("selected");
      if (option.disabled) states.push("disabled");
      emit({
        el: option, frame, clip: rows[at].clip, box: rows[at].box, role: "option", name: tidy(option.label), text: "",
        score: 1, up: at, states, out: true, value: "", actions: [], inline: false, tested: false,
      });
    }
  };

  const textRun = (node, at) => {
    const { frame, up } = at;
    const el = node.parentElement || node.parentNode.host;
    range.selectNodeContents(node);
    const rects = range.getClientRects();
    if (!rects.length || !shown(el) || (styleOf(el).webkitTextSecurity || "none") !== "none") return;
    for (const line of linesOf(node, rects, range)) {
      const box = meet(toTop(frame, line.box), at.flow);
      if (box[2] - box[0] < 1 || box[3] - box[1] < SPECK) continue;
      emit({
        el: node, frame, clip: at.flow, box, role: at.heading ? "heading" : "text", name: line.text, text: line.text,
        score: 1, up, states: [], out: false, value: "", actions: [], inline: false, tested: false, holder: el,
      });
    }
  };

  // What an element gets from those around it. Its own clip, and the clip of what flows inside it.
  const enter = (el, outer, style) => {
    const { frame } = outer;
    const position = style.position;
    const clip = position === "static" || position === "relative" || position === "sticky" ? outer.flow
      : clipOf(el, frame, clips).self;
    let flow = clip;
    if (style.overflowX !== "visible") flow = clipOf(el, frame, clips).flow;
    if (position !== "static") {
      const box = meet(toTop(frame, el.getBoundingClientRect()), clip);
      if (area(box)) raised.push({ el, box });
    }
    return { frame, clip, flow, up: outer.up, pointer: outer.pointer, quiet: outer.quiet, heading: outer.heading };
  };

  // A block far from view: what can be operated in it is listed, and what is placed by itself may be in view after all.
  const beyond = (el, outer) => {
    const placed = [];
    for (const inner of el.querySelectorAll("[class],[style],[id]")) {
      if (placed.length && placed[placed.length - 1].contains(inner)) continue;
      const position = styleOf(inner).position;
      if (position !== "fixed" && position !== "absolute") continue;
      if (area(meet(toTop(outer.frame, inner.getBoundingClientRect()), outer.frame.clip))) placed.push(inner);
    }
    for (const inner of placed) visit(inner, outer);
    if (offscreen >= options.offscreen) return;
    for (const inner of el.querySelectorAll(FINDABLE)) {
      if (offscreen >= options.offscreen) break;
      if (placed.some((p) => p.contains(inner))) continue;
      const tag = inner.localName, role = roleOf(inner, tag);
      const evidence = evidenceOf(inner, tag, role, false, false);
      const at = { ...outer, clip: clipOf(inner, outer.frame, clips).self };
      if (evidence) element(inner, tag, role, evidence, at, styleOf(inner));
    }
  };

  const visit = (el, outer) => {
    const tag = el.localName;
    if (IGNORED.has(tag)) return;
    const style = styleOf(el);
    const plain = !el.hasAttributes();
    if (!plain && style.display === "none") return;
    if (el.childElementCount > 2 && tag !== "body" && tag !== "html") {
      const box = meet(toTop(outer.frame, el.getBoundingClientRect()), outer.frame.clip);
      if (box[0] > box[2] || box[1] > box[3]) { beyond(el, outer); return; }
    }
    const at = enter(el, outer, style);
    const points = style.cursor === "pointer";
    const role = roleOf(el, tag);
    const evidence = evidenceOf(el, tag, role, points && !outer.pointer, plain);
    at.pointer = points || outer.pointer;
    if (evidence || role || !plain || tag === "label") {
      if (!object(el, tag, role, evidence, at, style)) return;
    }
    at.heading = at.heading || role === "heading";
    if (tag === "iframe" || tag === "frame") { frameIn(el, at); return; }
    const inside = el.shadowRoot || tag === "slot" ? childrenOf(el) : null;
    if (inside) for (const child of inside) step(child, at);
    else for (let child = el.firstChild; child; child = child.nextSibling) step(child, at);
  };

  const step = (node, at) => {
    if (node.nodeType === 1) visit(node, at);
    else if (node.nodeType === 3 && !at.quiet && options.text && /\S/.test(node.data)) textRun(node, at);
  };

  // List an element if it is worth it; whether what is inside should be looked at.
  const object = (el, tag, role, evidence, at, style) => {
    let made = -1;
    if (tag === "input" && el.type === "hidden") return false;
    const list = tag === "option" ? el.closest("select") : null;
    if (list && !isOpenList(list)) return false;
    if (tag === "label" && el.control) {
      const control = el.control;
      if (!shown(control) && control.type !== "hidden") { // a drawn box stands for the real one
        made = element(el, tag, roleOf(control, control.localName), { operable: true, sure: true }, at, style);
        if (made >= 0 && control.checked) rows[made].states.push("checked");
      }
      at.quiet = true;
    } else {
      const guess = !evidence && !at.quiet && (isVisibleLeaf(el, tag, style) ||
        (tag === "canvas" && style.pointerEvents !== "none"));
      const why = guess ? { operable: true, guess: true } : evidence;
      const worth = why || CONTAINERS.has(role) || tag === "fieldset" || role === "progressbar" ||
        (tag === "img" && el.alt && !at.quiet) || (tag === "dialog" && el.open) ||
        (tag !== "body" && tag !== "html" && scrolls(el, style));
      const busy = why && !why.sure && at.quiet && !why.drag; // inside a control that is named already
      if (worth && !busy) made = element(el, tag, role, why, at, style);
    }
    if (made >= 0) {
      const row = rows[made];
      at.up = made;
      at.quiet = at.quiet || (row.tested && row.text.length > 0 && row.text.length < NAME_LIMIT) ||
        /^(textbox|searchbox|combobox|button|link|text|icon)$/.test(row.role);
      if (tag === "select" && !isOpenList(el)) { choices(el, made, at.frame); return false; }
    }
    return !(tag === "textarea" || tag === "input" || (tag === "svg" && at.quiet));
  };

  const frameIn = (el, at) => {
    const { frame } = at;
    const doc = documentOf(el);
    if (!doc || !doc.documentElement || !shown(el)) return;
    const r = el.getBoundingClientRect();
    const k = el.offsetWidth ? (r.width / el.offsetWidth) * frame.k : frame.k;
    const style = styleOf(el);
    const x = r.left * frame.k + frame.x + (el.clientLeft + parseFloat(style.paddingLeft)) * k;
    const y = r.top * frame.k + frame.y + (el.clientTop + parseFloat(style.paddingTop)) * k;
    const clip = meet(at.clip, toTop(frame, r));
    if (!area(clip)) return;
    const inner = { doc, x, y, k, clip };
    frames.set(el, inner);
    visit(doc.documentElement, start(inner, at.up));
  };

  const start = (frame, up) => (
    { frame, clip: frame.clip, flow: frame.clip, up, pointer: false, quiet: false, heading: false }
  );

  const top = { doc: document, x: 0, y: 0, k: 1, clip: view };
  let up = -1;
  const page = document.scrollingElement;
  if (page && (page.scrollHeight - innerHeight > 1 || page.scrollWidth - innerWidth > 1)) {
    up = emit({
      el: page, frame: top, clip: view, box: view, role: "document", name: tidy(document.title).slice(0, NAME_LIMIT),
      text: "", score: 1, up: -1, states: [], out: false, value: "", actions: ["scroll"], inline: false, tested: false,
    });
  }
  if (document.documentElement) visit(document.documentElement, start(top, up));
  return finish(rows, operable, raised, frames, options);
};

const documentOf = (frame) => {
  try { return frame.contentDocument; } catch { return null; }
};
const isOpenList = (select) => select.multiple || select.size > 1;

// A bare coloured box or drawn shape: nothing says that it can be clicked, but a person would try.
const isVisibleLeaf = (el, tag, style) => {
  if (el.ownerSVGElement) return SHAPES.has(tag) && style.pointerEvents !== "none";
  if (el.firstChild || !el.hasAttributes() || el.namespaceURI !== "http://www.w3.org/1999/xhtml") return false;
  if (!/^(div|span|i|b|p|li|td)$/.test(tag)) return false;
  const filled = !/^rgba\(.*, 0\)$/.test(style.backgroundColor) || style.backgroundImage !== "none";
  return filled && el.offsetWidth >= 4 && el.offsetHeight >= 4 && el.offsetWidth < innerWidth / 2;
};

const linesOf = (node, rects, range) => {
  if (rects.length === 1) return [{ box: rects[0], text: tidy(node.data).slice(0, 500) }];
  const lines = [];
  const pattern = /\S+/g;
  let found;
  while ((found = pattern.exec(node.data)) && lines.length < 200) {
    range.setStart(node, found.index);
    range.setEnd(node, found.index + found[0].length);
    const r = range.getBoundingClientRect();
    if (!r.width || !r.height) continue;
    const last = lines[lines.length - 1];
    if (last && Math.abs(last.box.top - r.top) < r.height / 2) {
      last.box = {
        left: Math.min(last.box.left, r.left), top: Math.min(last.box.top, r.top),
        right: Math.max(last.box.right, r.right), bottom: Math.max(last.box.bottom, r.bottom),
      };
      last.text += ` ${found[0]}`;
    } else lines.push({ box: { left: r.left, top: r.top, right: r.right, bottom: r.bottom }, text: found[0] });
  }
  return lines;
};

// A group whose words are all those of the controls in it has no name of its own.
const unname = (rows) => {
  const words = new Map();
  for (const row of rows) {
    if (row.up >= 0 && rows[row.up].inferred) words.set(row.up, (words.get(row.up) || "") + row.name);
  }
  for (const [at, said] of words) {
    const row = rows[at], bare = (text) => text.replace(/\s/g, "");
    if (row.role === "group" && bare(row.text) === bare(said)) {
      if (row.name === row.text) row.name = "";
      row.text = "";
    }
  }
};

const finish = (rows, operable, raised, frames, options) => {
  for (const row of rows) {
    if (row.out) { row.actions = []; continue; }
    if (row.tested) {
      row.hit = hitOf(row, operable, frames);
      if (!row.hit) { row.states.push("occluded"); row.actions = []; }
    } else if (row.holder && raised.some((r) => area(meet(r.box, row.box)) && !r.el.contains(row.holder))) {
      const hit = deepest((row.box[0] + row.box[2]) / 2, (row.box[1] + row.box[3]) / 2, frames);
      if (hit && !within(hit, row.holder) && !within(row.holder, hit)) row.states.push("occluded");
    }
    if (row.states.includes("disabled")) row.actions = row.actions.filter((a) => a === "scroll");
  }
  unname(rows);
  const seen = new Map(); // lines of one text node share its key, apart from their number
  const out = rows.slice(0, options.limit).map((row) => {
    let key = keyOf(row.el);
    if (row.holder) {
      const line = seen.get(key) || 0;
      seen.set(key, line + 1);
      key += `/${line}`;
    }
    return [
      key, row.role, row.name, row.text, row.value, ...row.box, row.hit ? row.hit[0] : null,
      row.hit ? row.hit[1] : null, row.actions.join(" "), row.states.join(" "), row.up, row.score,
    ];
  });
  return { width: innerWidth, height: innerHeight, total: rows.length, rows: out };
};

Object.defineProperty(globalThis, Symbol.for("cuakit.dom"), {
  value: Object.freeze({
    read,
    element: (key) => { const ref = nodes.get(key); return (ref && ref.deref()) || null; },
  }),
});
