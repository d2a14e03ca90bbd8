// Reads what a person could see and use on a page, in one call. Installed once per document; see dom.py.
// Nothing here runs text from the page. Values of secret fields are dropped here, before anything leaves the page.
(() => {
  "use strict";
  const HANDLE = Symbol.for("cuakit.dom");
  if (globalThis[HANDLE]) return;

  // The inspector lends this function while the reader is installed; without it, listeners are simply not seen.
  const listenersOf = typeof getEventListeners === "function" ? getEventListeners : () => ({});

  const words = (text) => new Set(text.split(" "));
  const IGNORED = words("script style template noscript head meta link title base param source track datalist");
  const SHAPES = words("circle ellipse rect polygon polyline path line image use");
  const CONTAINERS = words("dialog alert menu menubar listbox tree grid toolbar tooltip");
  const NAMED_BY_CONTENT = words(
    "button link checkbox radio switch tab menuitem option treeitem cell listitem row columnheader heading",
  );
  const OPERABLE = words(
    "button link checkbox radio switch tab menuitem option treeitem textbox searchbox combobox spinbutton slider scrollbar",
  );
  const WRITABLE = words("textbox searchbox combobox spinbutton");
  const BLOCKS = words("address article aside blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hr li main nav ol p pre section table td th tr ul");
  const ARIA = {
    alertdialog: "dialog", gridcell: "cell", rowheader: "cell", treegrid: "grid", radiogroup: "group", img: "image",
    menuitemcheckbox: "menuitem", menuitemradio: "menuitem", meter: "progressbar", tablist: "group",
    tabpanel: "group", figure: "group", list: "group", application: "group", status: "alert", log: "alert",
  };
  for (const same of words(
    "alert button cell checkbox columnheader combobox dialog document grid group heading image link listbox listitem " +
    "menu menubar menuitem option progressbar radio row scrollbar searchbox slider spinbutton switch tab table " +
    "textbox toolbar tooltip tree treeitem",
  )) ARIA[same] = same;
  const TAGS = {
    a: "link", area: "link", button: "button", summary: "button", textarea: "textbox", option: "option",
    progress: "progressbar", meter: "progressbar", img: "image", svg: "image", canvas: "image", dialog: "dialog",
    fieldset: "group", li: "listitem", tr: "row", td: "cell", th: "columnheader", table: "table", h1: "heading",
    h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading", video: "image", iframe: "document",
  };
  const INPUTS = {
    checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox",
    button: "button", submit: "button", reset: "button", image: "button", file: "button", color: "button",
  };
  const GENERIC = words(
    "active all btn button click clickable col container content control corner default div element field form " +
    "glyphicon group handle has helper icon icons img image input inner item link main material outer primary reset " +
    "row secondary span state svg tabler text the toggle type widget wrapper",
  );
  const FINDABLE = "a[href],button,input,select,textarea,summary,[role],[tabindex],[onclick],[contenteditable]";
  const SECRET_TOKENS = /\b(current-password|new-password|one-time-code|cc-number|cc-csc)\b/;
  const COLORS = {
    red: [255, 0, 0], green: [0, 128, 0], blue: [0, 0, 255], yellow: [255, 255, 0], orange: [255, 165, 0],
    purple: [128, 0, 128], pink: [255, 192, 203], cyan: [0, 255, 255], magenta: [255, 0, 255], black: [0, 0, 0],
    white: [255, 255, 255], grey: [128, 128, 128], brown: [165, 42, 42], lime: [0, 255, 0], olive: [128, 128, 0],
    navy: [0, 0, 128], teal: [0, 128, 128], maroon: [128, 0, 0], gold: [255, 215, 0], silver: [192, 192, 192],
  };
  const NAME_LIMIT = 200;
  const VALUE_LIMIT = 2000;
  const OPTION_LIMIT = 40;
  const SPECK = 2; // CSS pixels; less than this nobody sees or hits
  const SURFACE_SHARE = 0.5; // an element this large with listeners is a surface to work on, not a button

  // ---- identity: a key names one node for as long as its document lives ------------------------------------------

  const salt = Math.round(performance.timeOrigin * 1000).toString(36);
  const keys = new WeakMap();
  const nodes = new Map();
  let lastKey = 0;
  const keyOf = (node) => {
    let key = keys.get(node);
    if (key === undefined) {
      key = `${salt}.${++lastKey}`;
      keys.set(node, key);
      nodes.set(key, new WeakRef(node));
    }
    return key;
  };
  const wasSecret = new WeakSet(); // "show password" turns the field into a plain one; its value stays secret

  // ---- small tools -----------------------------------------------------------------------------------------------

  const tidy = (text) => text.replace(/\s+/g, " ").trim();
  const styleOf = (el) => el.ownerDocument.defaultView.getComputedStyle(el);
  const meet = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  const area = (b) => (b[2] > b[0] && b[3] > b[1] ? (b[2] - b[0]) * (b[3] - b[1]) : 0);
  const parentOf = (node) => node.assignedSlot || node.parentElement || (node.parentNode && node.parentNode.host) || null;
  const within = (node, ancestor) => {
    for (let n = node; n; n = parentOf(n)) if (n === ancestor) return true;
    return false;
  };
  const childrenOf = (el) => {
    if (el.shadowRoot) return el.shadowRoot.childNodes;
    if (el.localName === "slot") {
      const given = el.assignedNodes({ flatten: true });
      if (given.length) return given;
    }
    return el.childNodes;
  };
  const shown = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  // ---- names, after the accessible-name computation --------------------------------------------------------------

  const isSecret = (el) => {
    if (wasSecret.has(el)) return true;
    const secret = el.type === "password" || SECRET_TOKENS.test(el.autocomplete || "") ||
      (styleOf(el).webkitTextSecurity || "none") !== "none";
    if (secret) wasSecret.add(el);
    return secret;
  };

  const embedded = (el) => { // what a control contributes to the name of what holds it
    if (el.localName === "select") return [...el.selectedOptions].map((o) => o.label).join(" ");
    if (el.localName === "textarea") return isSecret(el) ? "" : el.value;
    if (["button", "submit", "reset"].includes(el.type)) return el.value;
    if (["checkbox", "radio", "hidden", "file", "image"].includes(el.type)) return el.alt || "";
    return isSecret(el) ? "" : el.value;
  };

  const contentText = (root, skip) => {
    if (!root.firstElementChild && !root.shadowRoot && root.localName !== "slot") {
      return tidy(root.textContent.slice(0, NAME_LIMIT * 4)).slice(0, NAME_LIMIT);
    }
    let out = "";
    const visit = (node) => {
      if (out.length > NAME_LIMIT * 2) return;
      if (node.nodeType === 3) out += node.data;
      if (node.nodeType !== 1 || node === skip) return;
      const tag = node.localName;
      if (IGNORED.has(tag) && !node.ownerSVGElement) return; // the title of a drawing is its name
      if (node !== root && node.hasAttributes()) {
        if (node.getAttribute("aria-hidden") === "true" || !node.checkVisibility()) return;
        const label = node.getAttribute("aria-label");
        if (label) { out += ` ${label} `; return; }
      }
      if (tag === "img") { out += ` ${node.alt} `; return; }
      if (tag === "input" || tag === "select" || tag === "textarea") { out += ` ${embedded(node)} `; return; }
      const space = BLOCKS.has(tag) ? " " : "";
      out += space;
      for (const child of childrenOf(node)) visit(child);
      out += space;
    };
    visit(root);
    return tidy(out).slice(0, NAME_LIMIT);
  };

  const referenced = (el, attribute) => {
    const ids = el.getAttribute(attribute);
    if (!ids) return "";
    const root = el.getRootNode();
    return tidy(ids.split(/\s+/).map((id) => {
      const target = id && root.getElementById ? root.getElementById(id) : null;
      return target ? target.getAttribute("aria-label") || contentText(target) : "";
    }).join(" "));
  };

  const beside = (el) => { // an unlabelled field is usually named by the text before it, a box by the text after it
    const after = el.type === "checkbox" || el.type === "radio";
    for (let n = after ? el.nextSibling : el.previousSibling; n; n = after ? n.nextSibling : n.previousSibling) {
      if (n.nodeType === 3 && n.data.trim()) return tidy(n.data).slice(0, 60);
      if (n.nodeType !== 1 || n.localName === "br") continue;
      if (/^(input|select|textarea|button|a|table|form)$/.test(n.localName)) return "";
      const text = contentText(n);
      if (text) return text.length <= 60 ? text : "";
    }
    return "";
  };

  const colorName = (css) => {
    const m = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(css);
    if (!m || m[4] === "0") return "";
    let best = "", least = Infinity;
    for (const [name, rgb] of Object.entries(COLORS)) {
      const d = (rgb[0] - m[1]) ** 2 + (rgb[1] - m[2]) ** 2 + (rgb[2] - m[3]) ** 2;
      if (d < least) { least = d; best = name; }
    }
    return best;
  };

  const describe = (el, tag) => { // last resort: what it looks like
    const style = styleOf(el);
    if (el.ownerSVGElement) {
      const color = colorName(style.fill) || colorName(style.stroke);
      const shape = tag === "rect" ? "rectangle" : tag === "polygon" ? polygonName(el) : tag;
      return tag === "image" || tag === "use" ? "" : tidy(`${color} ${shape}`);
    }
    return colorName(style.backgroundColor);
  };
  // Nothing names it and nothing can be read on it: what its author called it says more than nothing.
  const hint = (el, role) => {
    const said = [el.getAttribute("name"), el.getAttribute("class"), el.id].filter(Boolean).join(" ");
    const found = [];
    for (const word of said.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/)) {
      if (word.length > 2 && word !== role && !GENERIC.has(word) && !found.includes(word)) found.push(word);
    }
    return found.slice(0, 3).join(" ");
  };
  const polygonName = (el) => (el.points && el.points.numberOfItems === 3 ? "triangle" : "polygon");

  const nameOf = (el, tag, role) => {
    const said = referenced(el, "aria-labelledby") || tidy(el.getAttribute("aria-label") || "");
    if (said) return said.slice(0, NAME_LIMIT);
    let name = "";
    if (tag === "input" || tag === "select" || tag === "textarea" || tag === "meter" || tag === "progress") {
      if (tag === "input" && INPUTS[el.type] === "button") {
        const standard = { submit: "Submit", reset: "Reset", image: "Submit", file: "Choose File" };
        name = el.alt || (el.type === "file" || el.type === "color" ? "" : el.value);
        name = name || labelsOf(el) || el.title || standard[el.type] || "";
      } else name = labelsOf(el);
      return tidy(name || el.title || el.placeholder || beside(el)).slice(0, NAME_LIMIT);
    }
    if (tag === "img" || tag === "area") name = el.alt;
    else if (tag === "svg" || el.ownerSVGElement) name = svgTitle(el) || (tag === "text" ? contentText(el) : "");
    else if (tag === "fieldset") name = el.querySelector("legend") ? contentText(el.querySelector("legend")) : "";
    else if (NAMED_BY_CONTENT.has(role)) name = contentText(el);
    return tidy(name || el.getAttribute("title") || el.getAttribute("placeholder") || el.getAttribute("alt") || "")
      .slice(0, NAME_LIMIT);
  };
  const labelsOf = (el) => tidy([...(el.labels || [])].map((label) => contentText(label, el)).join(" "));
  const svgTitle = (el) => {
    for (const child of el.children) if (child.localName === "title") return tidy(child.textContent);
    return "";
  };

  // ---- role, value, states, actions ------------------------------------------------------------------------------

  const roleOf = (el, tag) => {
    const said = el.getAttribute("role");
    if (said) for (const token of said.split(/\s+/)) if (ARIA[token]) return ARIA[token];
    if (tag === "input") return INPUTS[el.type] || (el.list ? "combobox" : "textbox");
    if (tag === "select") return el.multiple || el.size > 1 ? "listbox" : "combobox";
    if (el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable)) return "textbox";
    if ((tag === "a" || tag === "area") && !el.hasAttribute("href")) return "";
    if (el.ownerSVGElement) return tag === "text" ? "text" : "image";
    const classes = el.getAttribute("class");
    if (classes && classes.includes("ui-slider-handle")) return "slider";
    return TAGS[tag] || "";
  };

  const valueOf = (el, tag, role) => {
    if (tag === "select") return tidy([...el.selectedOptions].map((o) => o.label).join(", "));
    if (tag === "textarea") return el.value.slice(0, VALUE_LIMIT);
    if (tag === "input") return /checkbox|radio|button/.test(role) ? "" : el.value.slice(0, VALUE_LIMIT);
    if (tag === "progress" || tag === "meter") return String(el.value);
    const said = el.getAttribute("aria-valuetext") || el.getAttribute("aria-valuenow");
    if (said) return said;
    return WRITABLE.has(role) && el.isContentEditable ? el.innerText.slice(0, VALUE_LIMIT) : "";
  };

  const statesOf = (el, tag, secret, focused) => {
    const states = [];
    const is = (name) => el.getAttribute(name) === "true";
    if (el.checked === true || is("aria-checked") || is("aria-pressed")) states.push("checked");
    if ((tag === "option" && el.selected) || is("aria-selected")) states.push("selected");
    if (is("aria-disabled") || el.matches(":disabled")) states.push("disabled");
    if (el === focused) states.push("focused");
    if (is("aria-expanded") || (tag === "summary" && el.parentElement.open)) states.push("expanded");
    if (secret) states.push("secret");
    return states;
  };

  const actionsOf = (el, tag, role, evidence, style) => {
    const actions = [];
    const fixed = el.readOnly || el.getAttribute("aria-readonly") === "true";
    if (evidence.operable) actions.push("click");
    const typed = tag === "textarea" || el.isContentEditable || (tag === "input" && WRITABLE.has(role)) ||
      (WRITABLE.has(role) && evidence.said && tag !== "select");
    if (typed && !fixed) actions.push("type", "set_value");
    else if (tag === "select" || (tag === "input" && /checkbox|radio|slider/.test(role))) actions.push("set_value");
    if (scrolls(el, style)) actions.push("scroll");
    if (evidence.drag || role === "slider") actions.push("drag");
    if (evidence.drop) actions.push("drop");
    return actions;
  };

  const scrolls = (el, style) => {
    const y = /auto|scroll/.test(style.overflowY) && el.scrollHeight - el.clientHeight > 1;
    return y || (/auto|scroll/.test(style.overflowX) && el.scrollWidth - el.clientWidth > 1);
  };

  // Why an element may be worth acting on; null when nothing speaks for it.
  const evidenceOf = (el, tag, role, pointer, plain) => {
    const heard = listenersOf(el);
    if (plain && !role && !pointer) {
      let any = false;
      for (const kind in heard) { any = kind !== ""; break; }
      if (!any) return null;
    }
    const press = heard.mousedown || heard.pointerdown || heard.touchstart;
    const said = el.hasAttribute("role");
    const classes = el.getAttribute("class") || "";
    const sure = (OPERABLE.has(role) && (said || tag !== "option")) || tag === "select" || tag === "option" ||
      role === "textbox" || (el.hasAttribute("tabindex") && el.tabIndex >= 0) || tag === "summary";
    const clicked = heard.click || heard.mouseup || heard.pointerup || heard.dblclick || el.onclick;
    const drag = (el.draggable && el.getAttribute("draggable") === "true") || (press && !sure) ||
      /\b(ui-draggable|ui-sortable-handle|ui-slider-handle|ui-resizable-handle)\b/.test(classes);
    const drop = Boolean(heard.drop || heard.dragover || el.ondrop) || /\b(ui-droppable|ui-sortable)\b/.test(classes);
    const operable = Boolean(sure || clicked || press || pointer || drag);
    if (!operable && !drop) return null;
    return { operable, sure: Boolean(sure), said, drag: Boolean(drag), drop };
  };

  // ---- hit testing -----------------------------------------------------------------------------------------------

  const deepest = (x, y, frames) => {
    let el = document.elementFromPoint(x, y), px = x, py = y;
    for (let depth = 0; el && depth < 50; depth++) {
      const frame = frames.get(el);
      let inner = null;
      if (frame) {
        px = (x - frame.x) / frame.k; py = (y - frame.y) / frame.k;
        inner = frame.doc.elementFromPoint(px, py);
      } else if (el.shadowRoot) {
        inner = el.shadowRoot.elementFromPoint(px, py);
        if (inner && inner.getRootNode() !== el.shadowRoot) inner = null;
      }
      if (!inner) break;
      el = inner;
    }
    return el;
  };

  // 2: the element itself or something inert inside it; 1: inside it, but something operable comes first; 0: not it.
  const reaches = (el, hit, operable) => {
    let direct = 2;
    for (let n = hit; n; n = parentOf(n)) {
      if (n === el || (n.localName === "label" && n.control === el)) return direct;
      if (operable.has(n)) direct = 1;
    }
    return 0;
  };

  const PLACES = [[0.5, 0.5], [0.2, 0.2], [0.8, 0.2], [0.2, 0.8], [0.8, 0.8]];
  const EDGES = [0.04, 0.5, 0.96].flatMap((x) => [0.04, 0.5, 0.96].map((y) => [x, y])).filter((p) => `${p}` !== "0.5,0.5");

  const pointsOf = (row) => {
    const { el, frame, clip } = row;
    const points = [];
    const add = (box, places) => { for (const [fx, fy] of places) {
      points.push([box[0] + fx * (box[2] - box[0]), box[1] + fy * (box[3] - box[1])]);
    } };
    const lines = row.inline ? [...el.getClientRects()].map((r) => meet(toTop(frame, r), clip)).filter(area) : [];
    if (lines.length > 1) {
      lines.sort((a, b) => area(b) - area(a));
      for (const line of lines.slice(0, 4)) add(line, PLACES.slice(0, 1));
      add(lines[0], PLACES);
    } else add(row.box, PLACES);
    if (el.getPointAtLength && el.getScreenCTM && el.getScreenCTM()) { // an outline has nothing in its middle
      const length = el.getTotalLength(), matrix = el.getScreenCTM();
      for (const part of [0.13, 0.38, 0.63, 0.88]) {
        const p = el.getPointAtLength(part * length).matrixTransform(matrix);
        points.push([p.x * frame.k + frame.x, p.y * frame.k + frame.y]);
      }
    }
    add(row.box, EDGES); // only a rim of it may show
    return points;
  };

  const hitOf = (row, operable, frames) => {
    let fallback = null;
    for (const point of pointsOf(row)) {
      const hit = deepest(point[0], point[1], frames);
      const how = hit ? reaches(row.el, hit, operable) : 0;
      if (how === 2) return point;
      if (how === 1) fallback = fallback || point;
    }
    return fallback;
  };

  // ---- geometry --------------------------------------------------------------------------------------------------

  const toTop = (frame, r) => [
    r.left * frame.k + frame.x, r.top * frame.k + frame.y, r.right * frame.k + frame.x, r.bottom * frame.k + frame.y,
  ];

  // Clip of an element by what scrolls or hides around it; absolute and fixed boxes escape as CSS lets them.
  const clipOf = (el, frame, cache) => {
    const known = cache.get(el);
    if (known) return known;
    const parent = parentOf(el);
    const outer = parent ? clipOf(parent, frame, cache) : { flow: frame.clip, absolute: frame.clip };
    const style = styleOf(el), position = style.position;
    const self = position === "fixed" ? frame.clip : position === "absolute" ? outer.absolute : outer.flow;
    let flow = self;
    const root = el === frame.doc.body || el === frame.doc.documentElement;
    if (!root && (style.overflowX !== "visible" || style.overflowY !== "visible") && style.display !== "inline") {
      const r = el.getBoundingClientRect(); // without its borders and scroll bars
      const left = r.left + el.clientLeft, top = r.top + el.clientTop;
      const right = el.clientWidth ? left + el.clientWidth : r.right;
      const bottom = el.clientHeight ? top + el.clientHeight : r.bottom;
      flow = meet(self, toTop(frame, { left, top, right, bottom }));
    }
    const holds = position !== "static" || style.transform !== "none";
    const made = { self, flow, absolute: holds ? flow : outer.absolute };
    cache.set(el, made);
    return made;
  };

  // ---- the walk --------------------------------------------------------------------------------------------------

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
      const surface = Boolean(evidence) && !evidence.sure && area(raw) > SURFACE_SHARE * viewArea;
      if (surface && (el === frame.doc.body || el === frame.doc.documentElement)) return -1;
      const input = tag === "input" || tag === "textarea" || el.isContentEditable;
      const secret = input && isSecret(el);
      let text = "", score = 1, inferred = false;
      let name = nameOf(el, tag, role);
      if (!role) {
        const words = surface || !evidence ? "" : contentText(el);
        if (words && words.length < NAME_LIMIT / 2) { role = "button"; name = name || words; text = words; }
        else role = words || el.firstElementChild || surface ? "group" : "image";
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
          /^(textbox|searchbox|combobox|button|link|text)$/.test(row.role);
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

  Object.defineProperty(globalThis, HANDLE, {
    value: Object.freeze({
      read,
      element: (key) => { const ref = nodes.get(key); return (ref && ref.deref()) || null; },
    }),
  });
})();
