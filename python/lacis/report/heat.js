// Heat maps: one canvas, layers to choose from, the value under the pointer or the arrow keys in words.
const heat = (canvas, out, data, buttons, words) => {
  const n = data.leaves.length;
  const cell = Math.max(1, Math.floor(620 / n));
  const [low, high] = [data.low ?? 0, data.high ?? 1];
  const stops = [[70, 22, 107], [49, 104, 142], [53, 183, 121], [253, 231, 37]];
  const color = (value) => {
    const x = Math.min(0.9999, Math.max(0, (value - low) / (high - low))) * (stops.length - 1);
    const [a, b] = [stops[Math.floor(x)], stops[Math.floor(x) + 1]];
    return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * (x % 1))).join(",")})`;
  };
  let layer = "mean";
  let [row, column] = [0, 0];
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
  const say = () => {
    const show = (name) => data[name][row * n + column]?.toFixed(data.digits ?? 2) ?? "–";
    out.textContent = `${data.leaves[row]} → ${data.leaves[column]}: ${words(show)}`;
  };
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    const at = (position, size) => Math.min(n - 1, Math.max(0, Math.floor(position / size * n)));
    [row, column] = [at(event.clientY - box.top, box.height), at(event.clientX - box.left, box.width)];
    say();
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    [row, column] = [row + step[0], column + step[1]].map((at) => Math.min(n - 1, Math.max(0, at)));
    say();
  });
  buttons.forEach((b) => b.addEventListener("click", () => { layer = b.dataset.layer; draw(); }));
  draw();
};
(() => {
  const get = (name, part) => document.getElementById(`${name}-${part}`);
  const make = (name, buttons, words) => {
    const source = get(name, "data");
    if (!source) return;
    const data = JSON.parse(source.textContent);
    heat(get(name, "map"), get(name, "value"), data, buttons, words(data));
  };
  make("heat", [...document.querySelectorAll("[data-layer]")], () => (show) =>
    `max ${show("max")}, average ${show("mean")}, min ${show("min")} of the link rate`);
  make("measured", [], (data) => (show) => `${show("mean")} ${data.unit}`);
})();
