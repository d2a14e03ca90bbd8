// What draw.io itself says about the current selection: shapes and visible handles, in CSS pixels of the viewport.
// Handles are images; the insets are the empty margins inside them, read off draw.io's own SVG sources.
(() => {
  const ui = window.__cuakit_drawio, graph = ui.editor.graph, pane = graph.container, out = [];
  const at = pane.getBoundingClientRect();
  const shown = (node) => node && node.style.visibility !== 'hidden' && node.style.display !== 'none';
  const box = (node, inset) => {
    const r = node.getBoundingClientRect();
    return [r.left + inset[0], r.top + inset[1], r.right - inset[2], r.bottom - inset[3]];
  };
  for (const cell of graph.getSelectionCells()) {
    const state = graph.view.getState(cell), handler = graph.selectionCellsHandler.getHandler(cell);
    const left = at.left + state.x - pane.scrollLeft, top = at.top + state.y - pane.scrollTop;
    out.push({name: 'selection', rotation: +(state.style.rotation || 0),
              box: [left, top, left + state.width, top + state.height]});
    for (const sizer of handler.sizers || []) {
      const image = sizer.node && sizer.node.querySelector('image');
      if (!shown(sizer.node) || !image) continue;
      const turn = sizer === handler.rotationShape;
      out.push({name: turn ? 'rotate' : 'resize ' + sizer.cursor.split('-')[0],
                box: box(image, turn ? [2.7, 0.7, 2.7, 2.7] : [3.5, 3.5, 3.5, 3.5])});
    }
  }
  const inset = {up: [1, 1, 0, 2], right: [2, 1, 1, 0], down: [1, 2, 0, 1], left: [1, 1, 2, 0]};
  for (const [name, margin] of Object.entries(inset)) {
    const node = ui.hoverIcons['arrow' + name[0].toUpperCase() + name.slice(1)];
    if (node && node.parentNode && shown(node) && node.getClientRects().length)
      out.push({name: 'extend ' + name, box: box(node, margin)});
  }
  // What is scrolled out of the canvas is not there.
  const seen = (b) => b[0] >= at.left && b[1] >= at.top && b[2] <= at.left + pane.clientWidth &&
    b[3] <= at.top + pane.clientHeight;
  return out.filter((thing) => seen(thing.box));
})()
