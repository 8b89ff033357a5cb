// What a reader does with a map: pointer, wheel and keys.

const ARROWS = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
const STILL = 4; // pixels: a pointer that moves less is a click

// With `isInPage` the wheel scrolls the page around the map, unless Ctrl is pressed.
export const listenTo = (map, canvas, isInPage) => {
  const on = (kind, act, options) => canvas.addEventListener(kind, act, options);
  on("wheel", (event) => {
    if (isInPage && !event.ctrlKey) return;
    event.preventDefault();
    map.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
  }, { passive: false });
  let from = null; // where the pointer was, and how far it has come
  on("pointerdown", (event) => {
    from = [event.offsetX, event.offsetY, 0];
    map.cursor = null;
    canvas.setPointerCapture(event.pointerId);
  });
  on("pointermove", (event) => {
    if (!from) { map.hover(event.offsetX, event.offsetY); return; }
    const [dx, dy] = [event.offsetX - from[0], event.offsetY - from[1]];
    from = [event.offsetX, event.offsetY, from[2] + Math.abs(dx) + Math.abs(dy)];
    // A finger scrolls the page, unless the map is larger than its frame.
    const scrolls = isInPage && event.pointerType === "touch" && map.view.isWhole;
    if (from[2] >= STILL && !scrolls) map.move(dx, dy);
  });
  on("pointerup", (event) => {
    if (from && from[2] < STILL) map.onpick(map.pick(event.offsetX, event.offsetY));
    from = null;
  });
  on("pointercancel", () => { from = null; });
  on("focus", () => { if (canvas.matches(":focus-visible") && !map.cursor) map.step(null); });
  const keys = { "+": () => map.zoom(1.3), "=": () => map.zoom(1.3), "-": () => map.zoom(1 / 1.3), 0: () => map.whole(), Enter: () => map.enter(), " ": () => map.enter() };
  on("keydown", (event) => {
    const { key } = event;
    if (ARROWS[key] && event.shiftKey) map.move(...ARROWS[key]);
    else if (ARROWS[key]) map.step(key);
    else if (keys[key] && !event.ctrlKey && !event.metaKey) keys[key]();
    else return;
    event.preventDefault();
  });
  new ResizeObserver(() => map.resize()).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { map.readColours(); map.draw(); });
};
