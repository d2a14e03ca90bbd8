// Names, after the accessible-name computation.

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

// The drawing that an icon-sized element is there to show, if that is all it holds.
const smallIcon = (el, box) => {
  if (!el.firstElementChild || box[2] - box[0] > ICON_SIDE || box[3] - box[1] > ICON_SIDE) return null;
  return el.querySelector("svg :is(circle,ellipse,rect,polygon,polyline,path,image,use)") || el.querySelector("img,svg,i,div,span");
};
