// Runs before each MiniWoB++ page: hides what an agent must not read, notes whether the page was touched, and starts
// seeded episodes. It never looks at the answer.
(() => {
  if (window.__cuakit_wob) return;
  const state = { clean: false, touched: false };
  const hide = document.createElement("style");
  // visibility keeps the layout, so that seeds give the same geometry as upstream
  hide.textContent =
    "#query, #query * { visibility: hidden !important; }" +
    "#reward-display, #click-canvas { display: none !important; }" + // absolute, so nothing moves
    "html::-webkit-scrollbar { display: none; }";
  const attach = () => (document.head ?? document.documentElement).append(hide);
  if (document.documentElement) attach();
  document.addEventListener("DOMContentLoaded", attach);

  const touch = (event) => {
    if (event.isTrusted) { state.touched = true; state.clean = false; }
  };
  for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "input"]) {
    addEventListener(kind, touch, { capture: true, passive: true });
  }

  const frames = (n) => new Promise((resolve) => {
    const next = () => (n-- > 0 ? requestAnimationFrame(next) : resolve());
    next();
  });

  state.start = async (seed, limit) => {
    const until = performance.now() + 5000;
    const wait = async (test) => {
      while (!test()) {
        if (performance.now() > until) return false;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return true;
    };
    const loaded = await wait(() => typeof core !== "undefined" && core.cover_div !== null);
    if (!loaded) return { ready: false };
    if (limit !== null) core.EPISODE_MAX_TIME = limit;
    Math.seedrandom(seed);
    core.startEpisodeReal();
    const ready = await wait(() => WOB_TASK_READY);
    await frames(1);
    state.touched = false;
    state.clean = true;
    const bold = [...document.querySelectorAll("#query .bold, #query b")].map((e) => e.textContent);
    return { ready, goal: core.getUtterance(), bold };
  };
  window.__cuakit_wob = state;
})();
