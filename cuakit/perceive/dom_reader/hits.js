// Where an element really is, and a point that reaches it.

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
