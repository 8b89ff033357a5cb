// Leaf × leaf heat maps: one canvas, three layers, the value under the pointer in words.
(() => {
  const data = JSON.parse(document.getElementById("heat-data").textContent);
  const canvas = document.getElementById("heat-map");
  const out = document.getElementById("heat-value");
  const buttons = [...document.querySelectorAll("[data-layer]")];
  const n = data.leaves.length;
  const cell = Math.max(1, Math.floor(620 / n));
  const stops = [[70, 22, 107], [49, 104, 142], [53, 183, 121], [253, 231, 37]];
  const color = (value) => {
    const x = Math.min(0.9999, Math.max(0, value)) * (stops.length - 1);
    const [a, b] = [stops[Math.floor(x)], stops[Math.floor(x) + 1]];
    return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * (x % 1))).join(",")})`;
  };
  let layer = "mean";
  canvas.width = canvas.height = cell * n;
  const draw = () => {
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
      const value = data[layer][i * n + j];
      if (value === null) continue;
      pen.fillStyle = color(value);
      pen.fillRect(j * cell, i * cell, cell, cell);
    }
    buttons.forEach((b) => b.setAttribute("aria-pressed", b.dataset.layer === layer));
  };
  const tell = (event) => {
    const box = canvas.getBoundingClientRect();
    const at = (position, size) => Math.min(n - 1, Math.max(0, Math.floor(position / size * n)));
    const [i, j] = [at(event.clientY - box.top, box.height), at(event.clientX - box.left, box.width)];
    const show = (name) => data[name][i * n + j]?.toFixed(2) ?? "–";
    out.textContent = `${data.leaves[i]} → ${data.leaves[j]}: max ${show("max")}, average ${show("mean")}, min ${show("min")} of the link rate`;
  };
  canvas.addEventListener("pointermove", tell);
  canvas.addEventListener("pointerdown", tell);
  buttons.forEach((b) => b.addEventListener("click", () => { layer = b.dataset.layer; draw(); }));
  draw();
})();
