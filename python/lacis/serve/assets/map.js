// The map: one canvas, moved and zoomed by pointer, wheel and keys.
import { MOST, visible } from "./marks.js";
import { STEPS, UNKNOWN, WIDTHS, step } from "./scale.js";

const POINTS = 0.5; // share of the marks that points may take
const APART = 40; // pixels of a unit of length, from which on nodes of a rack have their names
const BLOCKS = 400; // blocks of racks, out of the marks of links

export class FabricMap {
  constructor(canvas, fabric, levels, view) {
    Object.assign(this, { canvas, fabric, levels, view, measure: "used", chosen: -1, route: [], gone: new Set(), marks: 0, script: 0 });
    this.context = canvas.getContext("2d");
    this.edges = new Uint32Array(MOST);
    this.steps = new Uint8Array(MOST);
    this.level = levels.at(-1);
    this.count = 0;
    this.pending = false;
    this.onpick = () => {};
    new ResizeObserver(() => this.resize()).observe(canvas);
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    }, { passive: false });
    let from = null;
    canvas.addEventListener("pointerdown", (event) => { from = [event.offsetX, event.offsetY, 0]; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      const [dx, dy] = [event.offsetX - from[0], event.offsetY - from[1]];
      from = [event.offsetX, event.offsetY, from[2] + Math.abs(dx) + Math.abs(dy)];
      this.move(dx, dy);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (from && from[2] < 4) this.onpick(this.pick(event.offsetX, event.offsetY));
      from = null;
    });
    canvas.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
      if (steps) this.move(...steps);
      else if (event.key === "+" || event.key === "=") this.zoom(1.3);
      else if (event.key === "-") this.zoom(1 / 1.3);
      else if (event.key === "0") this.whole();
      else return;
      event.preventDefault();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.readColours(); this.draw(); });
    this.readColours();
    this.resize();
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    this.colours = [...[0, 1, 2, 3, 4, 5].map((n) => colour(`--s${n}`)), colour("--unknown")];
    this.ink = colour("--ink");
    this.paper = colour("--paper");
    this.soft = colour("--soft");
    this.accent = colour("--accent");
    this.routeColour = colour("--route");
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const dense = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * dense);
    this.canvas.height = Math.round(height * dense);
    [this.width, this.height, this.dense] = [width, height, dense];
    if (!this.view.scale || this.view.isWhole) this.whole();
    this.draw();
  }

  // Another arrangement of the same nodes.
  arrange(fabric, levels) {
    Object.assign(this, { fabric, levels, level: levels.at(-1), count: 0, drawn: [] });
  }

  whole() {
    const { x, y, corners } = this.fabric;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let n = 0; n < x.length; n++) {
      left = Math.min(left, x[n]); right = Math.max(right, x[n]); top = Math.min(top, y[n]); bottom = Math.max(bottom, y[n]);
    }
    for (let n = 0; n < (corners?.length ?? 0); n += 4) {
      left = Math.min(left, corners[n]); top = Math.min(top, corners[n + 1]); right = Math.max(right, corners[n + 2]); bottom = Math.max(bottom, corners[n + 3]);
    }
    // Trees of many hosts are far wider than high: they are stretched until they fill the map.
    this.view.scale = Math.max(1e-6, (this.width - 130) / Math.max(1, right - left));
    this.view.tall = Math.max(0.01, Math.min(12, (this.height - 60) / Math.max(1, bottom - top) / this.view.scale));
    this.view.x = (left + right) / 2;
    this.view.y = (top + bottom) / 2;
    if (corners) this.view.y -= 10 / (this.view.scale * this.view.tall); // the names of the highest blocks
    this.view.isWhole = true;
    this.onwhole?.();
    this.draw();
  }

  changed() { this.view.isWhole = false; this.onview?.(); this.draw(); }

  move(dx, dy) {
    this.view.x -= dx / this.view.scale;
    this.view.y -= dy / (this.view.scale * this.view.tall);
    this.changed();
  }

  zoom(by, atX = this.width / 2, atY = this.height / 2) {
    const [x, y] = this.point(atX, atY);
    this.view.scale = Math.min(200, Math.max(1e-4, this.view.scale * by));
    this.view.x = x - (atX - this.width / 2) / this.view.scale;
    this.view.y = y - (atY - this.height / 2) / (this.view.scale * this.view.tall);
    this.changed();
  }

  // From pixels to the fabric's own lengths, and back.
  point(px, py) {
    return [this.view.x + (px - this.width / 2) / this.view.scale, this.view.y + (py - this.height / 2) / (this.view.scale * this.view.tall)];
  }

  pixel(x, y) {
    return [(x - this.view.x) * this.view.scale + this.width / 2, (y - this.view.y) * this.view.scale * this.view.tall + this.height / 2];
  }

  reveal(node) {
    this.view.x = this.fabric.x[node];
    this.view.y = this.fabric.y[node];
    this.view.scale = Math.max(this.view.scale, 8);
    this.changed();
  }

  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.paint(); });
  }

  choose(left, top, right, bottom, blocks) {
    const room = Math.floor(MOST * (1 - POINTS)) - blocks;
    for (const level of this.levels) {
      // Between racks lines cross each other everywhere: those that only pass say nothing there.
      const count = visible(level, left, top, right, bottom, room, this.edges, Boolean(this.fabric.corners));
      if (count >= 0) return [level, count];
    }
    // Even groups are too many: the first ones, which are no better than others.
    const level = this.levels.at(-1);
    for (let edge = 0; edge < room; edge++) this.edges[edge] = edge;
    return [level, Math.min(room, level.edges)];
  }

  paint() {
    if (!this.width) return;
    const begun = performance.now();
    const { context } = this;
    const [left, top] = this.point(-20, -20);
    const [right, bottom] = this.point(this.width + 20, this.height + 20);
    const blocks = this.blocksIn(left, top, right, bottom);
    const [level, count] = this.choose(left, top, right, bottom, blocks.length);
    [this.level, this.count] = [level, count];
    context.setTransform(this.dense, 0, 0, this.dense, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.background(blocks);
    for (let n = 0; n < count; n++) this.steps[n] = step(this.measure, level.value[this.edges[n]]);
    // The highest are drawn last, over the others.
    for (const at of [UNKNOWN, ...Array(STEPS - 1).keys()]) {
      context.strokeStyle = this.colours[at];
      context.lineWidth = WIDTHS[at];
      // What is less than at another time is dashed.
      for (const isLess of [false, true]) {
        context.beginPath();
        for (let n = 0; n < count; n++) if (this.steps[n] === at && level.value[this.edges[n]] < 0 === isLess) this.trace(level, this.edges[n]);
        context.setLineDash(at === UNKNOWN ? [3, 3] : isLess ? [9, 5] : []);
        context.stroke();
      }
    }
    context.setLineDash([]);
    this.overlay();
    this.title(blocks);
    const points = this.points(level, left, top, right, bottom);
    this.marks = count + points + blocks.length;
    this.script = performance.now() - begun;
    this.onpaint?.(this);
  }

  // The blocks of racks in sight; none where they are more than can be distinguished.
  blocksIn(left, top, right, bottom) {
    const { corners } = this.fabric;
    const seen = [];
    for (let n = 0; corners && 4 * n < corners.length; n++) {
      const [x0, y0, x1, y1] = corners.subarray(4 * n, 4 * n + 4);
      if (x1 < left || x0 > right || y1 < top || y0 > bottom) continue;
      if (seen.length === BLOCKS) return [];
      seen.push(n);
    }
    return seen;
  }

  background(blocks) {
    const { context, fabric: { corners } } = this;
    Object.assign(context, { lineWidth: 1, strokeStyle: this.soft, fillStyle: this.paper });
    for (const n of blocks) {
      const [left, top] = this.pixel(corners[4 * n], corners[4 * n + 1]);
      const [right, bottom] = this.pixel(corners[4 * n + 2], corners[4 * n + 3]);
      context.fillRect(left, top, right - left, bottom - top);
      context.strokeRect(left, top, right - left, bottom - top);
    }
  }

  // Each block's name, and what is in it where there is room.
  title(blocks) {
    const { context, fabric: { corners, group_names: names, contents } } = this;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "left";
    for (const n of blocks) {
      const [left, top] = this.pixel(corners[4 * n], corners[4 * n + 1]);
      const room = 1.1 * (corners[4 * n + 2] - corners[4 * n]) * this.view.scale; // blocks stand apart
      const text = [`${names[n]}: ${contents[n]}`, names[n]].find((one) => context.measureText(one).width <= room);
      if (text) this.write(text, left, top - 3);
    }
  }

  // A text that stands out from lines behind it.
  write(text, x, y) {
    Object.assign(this.context, { lineWidth: 3, lineJoin: "round", strokeStyle: this.paper, fillStyle: this.ink });
    this.context.strokeText(text, x, y);
    this.context.fillText(text, x, y);
  }

  trace(level, edge) {
    this.context.moveTo(...this.pixel(level.x[level.a[edge]], level.y[level.a[edge]]));
    this.context.lineTo(...this.pixel(level.x[level.b[edge]], level.y[level.b[edge]]));
  }

  // Routes, cables that are cut, and the one that is chosen: ports are known in every drawing.
  overlay() {
    const { context, fabric } = this;
    const line = (row) => {
      const [a, b] = this.endsOf(row);
      context.moveTo(...this.pixel(fabric.x[a], fabric.y[a]));
      context.lineTo(...this.pixel(fabric.x[b], fabric.y[b]));
    };
    const paint = (rows, colour, width, dash) => {
      if (!rows.length) return;
      context.beginPath();
      rows.forEach(line);
      Object.assign(context, { strokeStyle: colour, lineWidth: width });
      context.setLineDash(dash);
      context.stroke();
      context.setLineDash([]);
    };
    paint(this.route.there ?? [], this.routeColour, 4, []);
    paint(this.route.back ?? [], this.routeColour, 3, [7, 4]);
    if (this.chosen >= 0) paint([this.chosen], this.accent, 5, [2, 2]);
  }

  endsOf(row) {
    this.farOf ??= (() => {
      const far = new Int32Array(this.fabric.portNodes.length).fill(-1);
      this.fabric.near.forEach((port, n) => { far[port] = this.fabric.far[n]; far[this.fabric.far[n]] = port; });
      return far;
    })();
    const nodes = this.fabric.portNodes;
    return [nodes[row], this.farOf[row] < 0 ? nodes[row] : nodes[this.farOf[row]]];
  }

  points(level, left, top, right, bottom) {
    const { context } = this;
    const room = Math.floor(MOST * POINTS);
    const seen = new Set();
    for (let n = 0; n < this.count && seen.size < room; n++) {
      for (const at of [level.a[this.edges[n]], level.b[this.edges[n]]]) {
        if (level.x[at] >= left && level.x[at] <= right && level.y[at] >= top && level.y[at] <= bottom && seen.size < room) seen.add(at);
      }
    }
    const size = level.title === "nodes" ? Math.min(9, Math.max(3, this.view.scale * 0.6)) : 6;
    context.fillStyle = this.ink;
    context.strokeStyle = this.paper;
    context.lineWidth = 1;
    const boxes = [];
    for (const at of seen) {
      const [px, py] = this.pixel(level.x[at], level.y[at]);
      context.fillRect(px - size / 2, py - size / 2, size, size);
      boxes.push([at, px, py]);
    }
    this.drawn = boxes;
    // In a block of a rack names of nodes have no room until they stand far apart.
    if (this.fabric.corners && (level.title === "racks" || this.view.scale < APART)) return seen.size;
    // Names where there is room for them.
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    let last = new Map();
    for (const [at, px, py] of boxes.sort((one, other) => one[1] - other[1])) {
      const name = level.nameOf(at);
      const width = 6 * Math.min(name.length, 26) + 8;
      const row = Math.round(py / 14);
      if (px - width / 2 < (last.get(row) ?? -Infinity)) continue;
      last.set(row, px + width / 2);
      const text = name.length > 26 ? `${name.slice(0, 13)}…${name.slice(-12)}` : name;
      const half = context.measureText(text).width / 2 + 2;
      // Names at the edge stay inside, unless their node is outside.
      this.write(text, px < 0 || px > this.width ? px : Math.min(this.width - half, Math.max(half, px)), py + size / 2 + 11);
    }
    return seen.size;
  }

  // The node or the cable under the pointer.
  pick(px, py) {
    for (const [at, x, y] of this.drawn ?? []) if (Math.abs(x - px) < 8 && Math.abs(y - py) < 8) return { level: this.level, point: at };
    let best = -1;
    let least = 7;
    for (let n = 0; n < this.count; n++) {
      const edge = this.edges[n];
      const [ax, ay] = this.pixel(this.level.x[this.level.a[edge]], this.level.y[this.level.a[edge]]);
      const [bx, by] = this.pixel(this.level.x[this.level.b[edge]], this.level.y[this.level.b[edge]]);
      const long = (bx - ax) ** 2 + (by - ay) ** 2 || 1;
      const along = Math.min(1, Math.max(0, ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / long));
      const far = Math.hypot(px - ax - along * (bx - ax), py - ay - along * (by - ay));
      if (far < least) [best, least] = [edge, far];
    }
    if (best >= 0) return { level: this.level, edge: best };
    const [x, y] = this.point(px, py);
    const { corners } = this.fabric;
    for (let n = 0; corners && 4 * n < corners.length; n++) {
      if (x >= corners[4 * n] && y >= corners[4 * n + 1] && x <= corners[4 * n + 2] && y <= corners[4 * n + 3]) return { level: this.level, block: n };
    }
    return null;
  }
}
