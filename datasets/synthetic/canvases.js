// Draws what is no control into every canvas of a page, from its kind and seed: grids, shapes, photographs, charts, games.
(() => {
  for (const c of document.querySelectorAll('canvas[data-kind]')) {
    let state = Number(c.dataset.seed) || 1;
    const rnd = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
    const w = c.width = Math.max(1, Math.round(c.clientWidth * devicePixelRatio));
    const h = c.height = Math.max(1, Math.round(c.clientHeight * devicePixelRatio));
    const g = c.getContext('2d'), d = devicePixelRatio, light = rnd() < 0.75;
    const colour = () => `hsl(${rnd() * 360} ${rnd() * 90}% ${20 + rnd() * 60}%)`;
    const faint = `rgba(${light ? 0 : 255},${light ? 0 : 255},${light ? 0 : 255},${0.06 + rnd() * 0.25})`;
    g.fillStyle = light ? (rnd() < 0.6 ? '#fff' : '#f4f5f7') : '#1e1f24';
    g.fillRect(0, 0, w, h);
    const kind = c.dataset.kind, step = (6 + rnd() * 34) * d;
    if (kind === 'grid' || kind === 'ruler') {
      g.strokeStyle = faint;
      for (let x = 0; x < w; x += step) { g.beginPath(); g.moveTo(Math.round(x) + 0.5, 0); g.lineTo(Math.round(x) + 0.5, h); g.stroke(); }
      if (kind === 'grid') for (let y = 0; y < h; y += step) { g.beginPath(); g.moveTo(0, Math.round(y) + 0.5); g.lineTo(w, Math.round(y) + 0.5); g.stroke(); }
    }
    if (kind === 'dots') { g.fillStyle = faint; for (let x = 4; x < w; x += step) for (let y = 4; y < h; y += step) g.fillRect(x, y, 1 + d, 1 + d); }
    if (kind === 'shapes' || ((kind === 'grid' || kind === 'dots') && rnd() < 0.6)) {
      for (let i = 0; i < 2 + rnd() * 12; i++) {
        const x = rnd() * w, y = rnd() * h, a = (30 + rnd() * 180) * d, b = (24 + rnd() * 120) * d;
        g.fillStyle = rnd() < 0.5 ? '#ffffff' : colour(); g.strokeStyle = rnd() < 0.6 ? '#333' : colour(); g.lineWidth = (1 + rnd() * 2) * d;
        g.beginPath();
        if (rnd() < 0.5) g.rect(x, y, a, b); else if (rnd() < 0.5) g.ellipse(x, y, a / 2, b / 2, 0, 0, 7);
        else { g.moveTo(x, y - b / 2); g.lineTo(x + a / 2, y); g.lineTo(x, y + b / 2); g.lineTo(x - a / 2, y); g.closePath(); }
        if (rnd() < 0.8) g.fill(); g.stroke();
        g.beginPath(); g.moveTo(x, y); g.lineTo(rnd() * w, rnd() * h); g.stroke();
      }
    }
    if (kind === 'photo') {
      for (let i = 0; i < 60; i++) {
        const x = rnd() * w, y = rnd() * h, r = (20 + rnd() * 200) * d, f = g.createRadialGradient(x, y, 0, x, y, r);
        f.addColorStop(0, colour()); f.addColorStop(1, 'rgba(0,0,0,0)'); g.fillStyle = f; g.fillRect(0, 0, w, h);
      }
      const p = g.getImageData(0, 0, w, h);
      for (let i = 0; i < p.data.length; i += 4) { const n = (rnd() - 0.5) * 40; p.data[i] += n; p.data[i + 1] += n; p.data[i + 2] += n; }
      g.putImageData(p, 0, 0);
    }
    if (kind === 'chart') {
      g.strokeStyle = faint;
      for (let i = 1; i < 6; i++) { g.beginPath(); g.moveTo(0, h * i / 6); g.lineTo(w, h * i / 6); g.stroke(); }
      const n = 4 + Math.floor(rnd() * 30), way = rnd();
      g.fillStyle = colour(); g.strokeStyle = colour(); g.lineWidth = 2 * d; g.beginPath();
      for (let i = 0; i < n; i++) {
        const v = rnd() * h * 0.9, x = (i + 0.2) * w / n;
        if (way < 0.5) g.fillRect(x, h - v, w / n * 0.6, v); else g.lineTo(x, h - v);
      }
      if (way >= 0.5) g.stroke();
      if (way > 0.8) for (let i = 0, a = 0; i < 5; i++) { const b = a + rnd() * 2; g.fillStyle = colour(); g.beginPath(); g.moveTo(w / 2, h / 2); g.arc(w / 2, h / 2, Math.min(w, h) * 0.4, a, b); g.fill(); a = b; }
    }
    if (kind === 'game') for (let x = 0; x < w; x += step) for (let y = 0; y < h; y += step) if (rnd() < 0.5) { g.fillStyle = colour(); g.fillRect(x, y, step - d, step - d); }
  }
  return 0;
})()
