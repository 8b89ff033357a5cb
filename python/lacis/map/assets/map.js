// The map: one canvas, and what of the fabric is in sight there. It asks for nothing and knows no page.
import { listenTo } from "./gestures.js";
import { MOST, visible } from "./marks.js";
import { Painting } from "./paint.js";
import { STEPS } from "./scale.js";
import { SvgPen } from "./svg.js";

const NAMES = ["ink", "paper", "panel", "soft", "faint", "accent", "box", "error", "warning", "route"];
const BELOW = 18; // pixels below the lowest node, for its name
const CURVE = 8; // straight pieces of a curve, where the pointer is compared with it

export class FabricMap {
  // With `isInPage` it is a part of a page that is read from top to bottom.
  constructor(canvas, fabric, levels, view, isInPage = false) {
    Object.assign(this, { canvas, fabric, levels, view, measure: null, chosen: -1, nodes: [], box: -1, cursor: null, route: {}, marks: 0, script: 0, drawn: [] });
    this.context = canvas.getContext("2d");
    this.edges = new Uint32Array(MOST);
    this.arrange(fabric, levels);
    this.pending = false;
    this.onpick = () => {};
    this.readColours();
    listenTo(this, canvas, isInPage);
    this.resize();
  }

  // Colours by name; the page's style has them as variables.
  look(colour) {
    return { ...Object.fromEntries(NAMES.map((name) => [name, colour(name)])), steps: [...[...Array(STEPS - 1).keys()].map((n) => colour(`s${n}`)), colour("unknown")] };
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    this.colours = this.look((name) => style.getPropertyValue(`--${name}`).trim());
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
    Object.assign(this, { fabric, levels, level: levels.at(-1), count: 0, drawn: [], cursor: null, pitch: fabric.corners ? 0.6 : 3.5 });
    this.bounds = this.extent();
  }

  // What holds all nodes, and the drawing.
  extent() {
    const { x, y, corners, shapes } = this.fabric;
    let [left, right, top, bottom] = shapes ? [0, shapes.width, 0, shapes.height - BELOW] : [Infinity, -Infinity, Infinity, -Infinity];
    const hold = (atX, atY) => { left = Math.min(left, atX); right = Math.max(right, atX); top = Math.min(top, atY); bottom = Math.max(bottom, atY); };
    for (let n = 0; n < x.length; n++) hold(x[n], y[n]);
    for (let n = 0; n < (corners?.length ?? 0); n += 2) hold(corners[n], corners[n + 1]);
    return { left, right, top, bottom: shapes ? bottom + BELOW : bottom };
  }

  whole() {
    const { left, right, top, bottom } = this.bounds;
    const [wide, high] = [Math.max(1, right - left), Math.max(1, bottom - top)];
    if (this.fabric.shapes) {
      // Levels may stand further apart than they are drawn; grids and circles keep their form.
      this.view.scale = Math.max(1e-6, Math.min(this.width / wide, this.height / high));
      this.view.tall = this.fabric.shapes.isStretched ? Math.min(2.4, this.height / (high * this.view.scale)) : 1;
    } else {
      this.view.scale = Math.max(1e-6, (this.width - 130) / wide);
      this.view.tall = Math.max(0.01, Math.min(12, (this.height - 60) / high / this.view.scale));
    }
    this.view.x = (left + right) / 2;
    this.view.y = (top + bottom) / 2;
    if (this.fabric.corners) this.view.y -= 10 / (this.view.scale * this.view.tall); // the names of the highest blocks
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
    this.view.scale = Math.min(400, Math.max(1e-4, this.view.scale * by));
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

  // A node in the middle, as near as it takes to be drawn for itself.
  reveal(node) {
    this.view.x = this.fabric.x[node];
    this.view.y = this.fabric.y[node];
    const [fine] = this.levels;
    const isDrawn = () => {
      const [left, top] = this.point(0, 0);
      const [right, bottom] = this.point(this.width, this.height);
      return this.choose({ left, top, right, bottom }, MOST / 4)[0] === fine;
    };
    while (this.view.scale < 100 && !isDrawn()) this.view.scale *= 1.4;
    this.changed();
  }

  isInSight(node) {
    const [x, y] = this.pixel(this.fabric.x[node], this.fabric.y[node]);
    return x >= 0 && x <= this.width && y >= 0 && y <= this.height;
  }

  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.paint(); });
  }

  // The finest drawing of which so many edges are enough for what is in sight, how many these are, and whether there are more.
  choose({ left, top, right, bottom }, room) {
    for (const level of this.levels) {
      // Between racks lines cross each other everywhere: those that only pass say nothing there.
      const count = visible(level, left, top, right, bottom, room, this.edges, Boolean(this.fabric.corners));
      if (count >= 0) return [level, count, false];
    }
    // Even the coarsest has too many: the first ones, which are no better than others.
    const level = this.levels.at(-1);
    const count = Math.min(room, level.edges);
    for (let edge = 0; edge < count; edge++) this.edges[edge] = edge;
    return [level, count, true];
  }

  paint() {
    if (!this.width) return;
    const begun = performance.now();
    this.context.setTransform(this.dense, 0, 0, this.dense, 0, 0);
    const painting = new Painting(this.context, this.colours, this);
    const { level, count, blocks, points } = painting.all();
    Object.assign(this, { level, count, drawn: painting.drawn, marks: count + points + blocks });
    this.canvas.classList.toggle("whole", Boolean(this.view.isWhole));
    this.script = performance.now() - begun;
  }

  // What is in sight as SVG: for a file with the colours that are seen, for a page with its variables.
  svg(words, isOfPage = false) {
    const pen = new SvgPen(this.context, this.width, this.height);
    const look = isOfPage ? this.look((name) => `var(--${name})`) : this.colours;
    const cursor = this.cursor;
    this.cursor = null;
    new Painting(pen, look, this).all();
    this.cursor = cursor;
    return pen.svg(look.panel, words);
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

  // The line of the drawing between two switches, where each has a box.
  lineOf(a, b) {
    const { shapes, box, switches } = this.fabric;
    if (!shapes || shapes.isFolded || a >= switches || b >= switches) return null;
    const [low, high] = [box[a], box[b]].sort((one, other) => one - other);
    return shapes.lines.find(({ ends }) => ends[0] === low && ends[1] === high) ?? null;
  }

  // --- what is under the pointer, or under the keys
  // How far a point is from pieces of a path, or from a straight line [px].
  distance(px, py, pieces) {
    let least = Infinity;
    let [x, y] = [0, 0];
    const to = (toX, toY) => {
      const long = (toX - x) ** 2 + (toY - y) ** 2 || 1;
      const along = Math.min(1, Math.max(0, ((px - x) * (toX - x) + (py - y) * (toY - y)) / long));
      least = Math.min(least, Math.hypot(px - x - along * (toX - x), py - y - along * (toY - y)));
      [x, y] = [toX, toY];
    };
    for (const [kind, ...at] of pieces) {
      const [ax, ay] = this.pixel(at[0], at[1]);
      if (kind === "M") [x, y] = [ax, ay];
      else if (kind === "L") to(ax, ay);
      else {
        const [fromX, fromY] = [x, y];
        const [bx, by] = this.pixel(at[2], at[3]);
        for (let n = 1; n <= CURVE; n++) {
          const t = n / CURVE;
          to((1 - t) ** 2 * fromX + 2 * t * (1 - t) * ax + t * t * bx, (1 - t) ** 2 * fromY + 2 * t * (1 - t) * ay + t * t * by);
        }
      }
    }
    return least;
  }

  // What is drawn, as a page is given it.
  hitOf({ at, box }) { return { level: this.level, point: at, box }; }

  // The node, box, cable or block under the pointer.
  pick(px, py) {
    const { level } = this;
    const within = (least) => (it) => Math.abs(it.x - px) < Math.max(least, it.across) && Math.abs(it.y - py) < Math.max(least, it.along);
    const it = this.drawn.find(within(4)) ?? this.drawn.find(within(8));
    if (it) return this.hitOf(it);
    let best = -1;
    let least = 7;
    for (let n = 0; n < this.count; n++) {
      const edge = this.edges[n];
      const [a, b] = [level.a[edge], level.b[edge]];
      const far = this.distance(px, py, level.lines[edge]?.pieces ?? [["M", level.x[a], level.y[a]], ["L", level.x[b], level.y[b]]]);
      if (far < least) [best, least] = [edge, far];
    }
    if (best >= 0) return { level, edge: best, far: least };
    const [x, y] = this.point(px, py);
    const { corners } = this.fabric;
    for (let n = 0; corners && 4 * n < corners.length; n++) {
      if (x >= corners[4 * n] && y >= corners[4 * n + 1] && x <= corners[4 * n + 2] && y <= corners[4 * n + 3]) return { level, block: n };
    }
    return null;
  }

  hover(px, py) {
    const hit = this.pick(px, py);
    const isNode = hit?.box || hit?.point >= 0;
    // A deviation lies over its line, and is as far.
    let least = Math.min(4, (hit?.far ?? 4) + 0.01);
    let deviation = null;
    for (const it of isNode ? [] : this.deviations()) {
      const far = this.distance(px, py, it.pieces);
      if (far < least) [deviation, least] = [it, far];
    }
    this.canvas.title = deviation?.title ?? (hit ? this.titleOf(hit) : "");
    this.canvas.style.cursor = hit ? "pointer" : "";
  }

  deviations() {
    const { shapes } = this.fabric;
    return shapes && (this.level.title === "boxes" || !shapes.isFolded) ? shapes.deviations : [];
  }

  // In words; a page may add what it knows of an edge.
  titleOf(hit) {
    const { level } = hit;
    if (hit.box) return hit.box.title;
    if (hit.block !== undefined) return `${this.fabric.group_names[hit.block]}: ${this.fabric.contents[hit.block]}`;
    if (hit.edge === undefined) return level.nameOf(hit.point);
    const cables = level.start[hit.edge + 1] - level.start[hit.edge];
    const ends = [level.a[hit.edge], level.b[hit.edge]].map((at) => level.nameOf(at));
    const title = level.lines[hit.edge]?.title ?? `${ends.join(" – ")}: ${cables.toLocaleString("en")} ${cables === 1 ? "cable" : "cables"}`;
    return title + (this.aboutEdge?.(level.value[hit.edge]) ?? "");
  }

  // What is drawn where the keys are.
  under(drawn) {
    if (!this.cursor || !drawn.length) return null;
    const [x, y] = this.pixel(...this.cursor);
    const far = (it) => Math.hypot(it.x - x, it.y - y);
    return drawn.reduce((best, it) => (far(it) < far(best) ? it : best));
  }

  // To the nearest along a row, or of another row; to the first one without a key.
  step(key) {
    const now = this.under(this.drawn);
    const inside = this.drawn.filter((it) => it.x >= 0 && it.x <= this.width && it.y >= 0 && it.y <= this.height);
    const across = key === "ArrowLeft" || key === "ArrowRight";
    const sign = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
    const cost = (it) => {
      if (!now) return 1e6 * Math.round(it.y) + it.x;
      const [dx, dy] = [it.x - now.x, it.y - now.y];
      const [along, aside] = across ? [dx * sign, Math.abs(dy)] : [dy * sign, Math.abs(dx)];
      return it === now || along <= 0.5 ? Infinity : along + (across ? 4 : 0.5) * aside;
    };
    const best = inside.reduce((one, it) => (cost(it) < (one ? cost(one) : Infinity) ? it : one), null);
    if (!best) return;
    this.cursor = this.point(best.x, best.y);
    this.onname?.(this.titleOf(this.hitOf(best)));
    this.draw();
  }

  enter() {
    const it = this.under(this.drawn);
    if (it) this.onpick(this.hitOf(it));
  }
}
