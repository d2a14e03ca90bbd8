// Words, limits, identity of nodes and small tools. The parts of this folder are joined into one function; see dom.py.
// Nothing here runs text from the page. Values of secret fields are dropped here, before anything leaves the page.

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
const ICON_SIDE = 64; // CSS pixels
const SPECK = 2; // CSS pixels; less than this nobody sees or hits
const SURFACE_SHARE = 0.5; // an element this large with listeners is a surface to work on, not a button

// A key names one node for as long as its document lives.

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
    if (lastKey % 5000 === 0) for (const [old, ref] of nodes) if (!ref.deref()) nodes.delete(old);
  }
  return key;
};
const wasSecret = new WeakSet(); // "show password" turns the field into a plain one; its value stays secret

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
