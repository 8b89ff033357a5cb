// The drawing that a page has as SVG, read as shapes to paint, in its own lengths.

const numbers = (it, ...names) => names.map((name) => Number(it.getAttribute(name)));
// A path as its pieces: M, L or Q with absolute points.
const pieces = (it) => [...it.getAttribute("d").matchAll(/([MLQ])([^MLQ]*)/g)].map(([, kind, at]) => [kind, ...at.trim().split(/[\s,]+/).map(Number)]);
const title = (it) => it.querySelector("title")?.textContent ?? "";
const rectangle = (it) => {
  const [left, top, width, height] = numbers(it, "x", "y", "width", "height");
  return { left, top, right: left + width, bottom: top + height };
};
const label = (it) => {
  const turned = /translate\(([-\d.]+),([-\d.]+)\) rotate\((-?\d+)\)/.exec(it.getAttribute("transform") ?? "");
  const [x, y, turn] = turned ? turned.slice(1).map(Number) : [...numbers(it, "x", "y"), 0];
  return { x, y, turn, text: it.textContent, anchor: it.getAttribute("text-anchor") ?? "start", kind: it.getAttribute("class") };
};
const box = (it) => ({
  ...rectangle(it.querySelector("rect")), title: title(it), name: it.dataset.name ?? "",
  members: (it.dataset.members ?? "").split(" ").filter(Boolean).map(Number), labels: [...it.querySelectorAll("text")].map(label),
});

export const shapesOf = (svg) => {
  const all = (selector) => [...svg.querySelectorAll(selector)];
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const boxes = all(".box").map(box);
  return {
    width, height, boxes, gutter: Math.min(...boxes.map((it) => it.left)), isFolded: "folded" in svg.dataset, isStretched: "stretched" in svg.dataset,
    bands: all(".band").map((it) => ({ ...rectangle(it), title: title(it) })),
    lines: all(".cables path").map((it) => ({ pieces: pieces(it), width: numbers(it, "stroke-width")[0], ends: it.dataset.ends.split(" ").map(Number), title: title(it) })),
    deviations: all(".deviations path").map((it) => ({ pieces: pieces(it), isAbsent: it.classList.contains("absent"), title: title(it) })),
    labels: all("svg > text").map(label),
  };
};
