// A person chooses: click what to act on, then the action; or one of the words below.
const STYLE = `
.ck-c{font:13px system-ui,sans-serif;max-width:100%}
.ck-c .goal{font-weight:600;margin:4px 0}
.ck-c .screen{position:relative;display:inline-block;max-width:100%}
.ck-c .screen img{display:block;max-width:100%}
.ck-c .screen button{position:absolute;box-sizing:border-box;padding:0;background:transparent;border:1.5px solid #06c8;cursor:pointer}
.ck-c .screen button:hover,.ck-c .screen button:focus-visible{background:#06c3;outline:none;border-color:#06c}
.ck-c .screen button.on{border:3px solid #d40}
.ck-c .offers,.ck-c .words{display:flex;flex-wrap:wrap;gap:6px;margin:6px 0}
.ck-c .rest{cursor:pointer;color:#666}`;

const make = (tag, props = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), props);
  made.append(...children);
  return made;
};

function render({ model, el }) {
  const choose = (option) => {
    model.set("choice", [model.get("turn"), option]);
    model.save_changes();
  };
  const offer = ([option, text]) =>
    make("button", { textContent: text, onclick: () => choose(option) });

  const draw = () => {
    const { goal, picture, size, items, loose, words, asking } = Object.fromEntries(
      ["goal", "picture", "size", "items", "loose", "words", "asking"].map((k) => [k, model.get(k)]));
    const root = make("div", { className: "ck-c" }, make("style", { textContent: STYLE }));
    root.append(make("div", { className: "goal", textContent: goal }));
    if (!asking) {
      root.append(make("div", { className: "words", textContent: "Nothing to decide now." }));
      el.replaceChildren(root);
      return;
    }
    const offers = make("div", { className: "offers" });
    const screen = make("div", { className: "screen" });
    screen.append(make("img", { src: picture, width: size[0], alt: goal }));
    for (const item of items) {
      const [x, y, w, h] = item.box;
      const box = make("button", { title: item.label, onclick: () => {
        screen.querySelectorAll(".on").forEach((b) => b.classList.remove("on"));
        box.classList.add("on");
        if (item.options.length === 1) choose(item.options[0][0]);
        else offers.replaceChildren(...item.options.map(offer));
      } });
      box.setAttribute("aria-label", item.label);
      Object.assign(box.style, { left: `${x * 100}%`, top: `${y * 100}%`, width: `${w * 100}%`, height: `${h * 100}%` });
      screen.append(box);
    }
    root.append(screen, offers);
    root.append(make("div", { className: "words" }, ...[...loose, ...words].map(offer)));
    el.replaceChildren(root);
  };
  model.on("change:turn", draw);
  model.on("change:asking", draw);
  draw();
}

export default { render };
