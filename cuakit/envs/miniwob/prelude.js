// Runs before each MiniWoB++ page: hides what an agent must not read, and starts seeded episodes. It never looks at the
// answer.
(() => {
  const hide = document.createElement("style");
  hide.textContent =
    "#query, #query * { visibility: hidden !important; }" + // layout kept: same geometry as upstream
    "#reward-display, #click-canvas { display: none !important; }" + // absolute, so nothing moves
    "html::-webkit-scrollbar { display: none; }"; // the page is wider than the task, which is all there is to see
  addEventListener("DOMContentLoaded", () => document.head.append(hide));

  const until = async (test) => {
    const deadline = performance.now() + 5000;
    while (!test() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
    return test();
  };

  window.__cuakit_start = async (seed, limit) => {
    if (!(await until(() => typeof core !== "undefined" && core.cover_div !== null))) return null;
    if (limit !== null) core.EPISODE_MAX_TIME = limit;
    Math.seedrandom(seed);
    core.startEpisodeReal();
    if (!(await until(() => WOB_TASK_READY))) return null;
    await new Promise(requestAnimationFrame);
    const bold = [...document.querySelectorAll("#query .bold, #query b")].map((e) => e.textContent);
    return { goal: core.getUtterance(), bold };
  };
})();
