// Role, value, states, actions, and why an element may be worth acting on.

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
  if (tag === "input") return /^(checkbox|radio|button)$/.test(role) ? "" : el.value.slice(0, VALUE_LIMIT);
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
