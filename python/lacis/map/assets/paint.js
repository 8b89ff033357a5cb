// What a map shows, painted with a pen: a canvas's, or one that writes SVG.
import { MOST } from "./marks.js";
import { STEPS, UNKNOWN, WIDTHS, step } from "./scale.js";
import { Texts, write } from "./texts.js";

const POINTS = Math.floor(MOST / 2); // of the marks, what boxes and points may take
const BLOCKS = 400; // blocks of racks, out of the marks of links
const FADED = 0.18;

export class Painting {
  constructor(pen, look, map) { Object.assign(this, { pen, look, map }); }

  pixel(x, y) { return this.map.pixel(x, y); }

  all() {
    const { pen, map } = this;
    const [left, top] = map.point(-20, -20);
    const [right, bottom] = map.point(map.width + 20, map.height + 20);
    this.sight = { left, top, right, bottom };
    const blocks = this.blocks();
    const [level, count, hasMore] = map.choose(this.sight, MOST - POINTS - blocks.length);
    Object.assign(this, { level, count, shapes: map.fabric.shapes });
    if (level.title !== "boxes" && this.shapes?.isFolded) this.shapes = null;
    pen.clearRect(0, 0, map.width, map.height);
    this.background(blocks);
    this.bands();
    this.chosen = new Set(map.nodes.map((node) => level.pointOf(node)));
    this.edges();
    this.deviations();
    this.overlay();
    this.titles(blocks);
    const points = this.points();
    if (hasMore) this.note(`${count.toLocaleString("en")} of ${level.edges.toLocaleString("en")} lines are drawn: nearer there are all`);
    return { level, count, blocks: blocks.length, points };
  }

  note(text) {
    Object.assign(this.pen, { font: "12px system-ui, sans-serif", textAlign: "left" });
    write(this.pen, text, 8, this.map.height - 8, this.look.ink, this.look.panel);
  }

  isSeen({ left, top, right, bottom }) {
    const { sight } = this;
    return right >= sight.left && left <= sight.right && bottom >= sight.top && top <= sight.bottom;
  }

  // --- racks
  // The blocks of racks in sight; none where they are more than can be distinguished.
  blocks() {
    const { corners } = this.map.fabric;
    const seen = [];
    for (let n = 0; corners && 4 * n < corners.length; n++) {
      const [left, top, right, bottom] = corners.subarray(4 * n, 4 * n + 4);
      if (!this.isSeen({ left, top, right, bottom })) continue;
      if (seen.length === BLOCKS) return [];
      seen.push(n);
    }
    return seen;
  }

  background(blocks) {
    const { pen, look, map: { fabric: { corners } } } = this;
    Object.assign(pen, { lineWidth: 1, strokeStyle: look.soft, fillStyle: look.paper });
    for (const n of blocks) {
      const [left, top, width, height] = this.rectangle(...corners.subarray(4 * n, 4 * n + 4));
      pen.fillRect(left, top, width, height);
      pen.strokeRect(left, top, width, height);
    }
  }

  // Each block's name, and what is in it where there is room.
  titles(blocks) {
    const { pen, map: { fabric: { corners, group_names: names, contents }, view } } = this;
    Object.assign(pen, { font: "12px system-ui, sans-serif", textAlign: "left" });
    for (const n of blocks) {
      const [left, top] = this.pixel(corners[4 * n], corners[4 * n + 1]);
      const room = 1.1 * (corners[4 * n + 2] - corners[4 * n]) * view.scale; // blocks stand apart
      const text = [`${names[n]}: ${contents[n]}`, names[n]].find((one) => pen.measureText(one).width <= room);
      if (text) write(pen, text, left, top - 3, this.look.ink, this.look.paper);
    }
  }

  // --- links
  bands() {
    const { pen, look } = this;
    Object.assign(pen, { globalAlpha: 0.045, fillStyle: look.ink });
    for (const band of this.shapes?.bands ?? []) if (this.isSeen(band)) pen.fillRect(...this.rectangle(band.left, band.top, band.right, band.bottom));
    pen.globalAlpha = 1;
  }

  edges() {
    const { pen, look, map, level, count } = this;
    const has = map.nodes.length > 0 || map.box >= 0;
    // One stroke for all edges that look alike.
    const alike = new Map();
    for (let n = 0; n < count; n++) {
      const edge = map.edges[n];
      const value = level.value[edge];
      const own = this.isChosen(level.a[edge]) || this.isChosen(level.b[edge]);
      const at = map.measure === null ? -1 : step(map.measure, value);
      const width = at < 0 ? level.lines[edge]?.width ?? 0.6 : WIDTHS[at];
      const key = `${at} ${width} ${value < 0} ${own}`;
      if (!alike.has(key)) alike.set(key, { at, width, isLess: value < 0, isOwn: own, isFaded: has && !own, edges: [] });
      alike.get(key).edges.push(edge);
    }
    // The highest are drawn last, over the others; what is less than at another time is dashed.
    const order = (it) => (it.isFaded ? 0 : STEPS + 1) + (it.at === UNKNOWN ? -1 : it.at);
    for (const it of [...alike.values()].sort((one, other) => order(one) - order(other))) {
      const plain = it.isOwn ? look.accent : look.faint;
      Object.assign(pen, { strokeStyle: it.at < 0 ? plain : look.steps[it.at], lineWidth: it.width, globalAlpha: it.isFaded ? FADED : it.at < 0 && !it.isOwn ? 0.75 : 1 });
      pen.setLineDash(it.at === UNKNOWN ? [3, 3] : it.isLess ? [9, 5] : []);
      pen.beginPath();
      for (const edge of it.edges) this.trace(level, edge);
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  isChosen(point) { return this.chosen.has(point) || (this.level.title === "boxes" && point === this.map.box); }

  trace(level, edge) {
    const line = level.lines[edge];
    if (line) this.follow(line.pieces);
    else this.straight(level.x[level.a[edge]], level.y[level.a[edge]], level.x[level.b[edge]], level.y[level.b[edge]]);
  }

  straight(ax, ay, bx, by) {
    this.pen.moveTo(...this.pixel(ax, ay));
    this.pen.lineTo(...this.pixel(bx, by));
  }

  follow(pieces) {
    const { pen } = this;
    for (const [kind, x, y, toX, toY] of pieces) {
      if (kind === "M") pen.moveTo(...this.pixel(x, y));
      else if (kind === "L") pen.lineTo(...this.pixel(x, y));
      else pen.quadraticCurveTo(...this.pixel(x, y), ...this.pixel(toX, toY));
    }
  }

  // Where cables are too few, or none: over the lines, faint where these show a measure.
  deviations() {
    const { pen, look, map } = this;
    for (const isAbsent of [false, true]) {
      Object.assign(pen, { strokeStyle: isAbsent ? look.error : look.warning, lineWidth: 2, globalAlpha: map.measure === null ? 1 : 0.35 });
      pen.setLineDash(isAbsent ? [5, 3] : []);
      pen.beginPath();
      for (const it of this.shapes?.deviations ?? []) if (it.isAbsent === isAbsent) this.follow(it.pieces);
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  // Routes, and the cable that is chosen: ports are known in every drawing.
  overlay() {
    const { pen, look, map } = this;
    const stroke = (rows, strokeStyle, lineWidth, dash) => {
      if (!rows.length) return;
      Object.assign(pen, { strokeStyle, lineWidth });
      pen.setLineDash(dash);
      pen.beginPath();
      for (const row of rows) {
        const [a, b] = map.endsOf(row);
        const line = map.lineOf(a, b);
        if (line) this.follow(line.pieces); else this.straight(map.fabric.x[a], map.fabric.y[a], map.fabric.x[b], map.fabric.y[b]);
      }
      pen.stroke();
      pen.setLineDash([]);
    };
    stroke(map.route.there ?? [], look.route, 4, []);
    stroke(map.route.back ?? [], look.route, 3, [7, 4]);
    if (map.chosen >= 0) stroke([map.chosen], look.accent, 5, [2, 2]);
  }

  // --- nodes
  rectangle(left, top, right, bottom) {
    const [x, y] = this.pixel(left, top);
    const [toX, toY] = this.pixel(right, bottom);
    return [x, y, toX - x, toY - y];
  }

  // Boxes, and points of what has none; then their labels. How many there are.
  points() {
    const { pen, look, map, level, sight } = this;
    const drawn = [];
    const boxes = [...(this.shapes?.boxes ?? []).entries()].filter(([, box]) => this.isSeen(box)).slice(0, POINTS);
    for (const [number, box] of boxes) {
      const [x, y, width, height] = this.rectangle(box.left, box.top, box.right, box.bottom);
      const at = level.title === "boxes" ? number : box.members.length ? box.members[0] : -1;
      drawn.push({ at, number, box, x: x + width / 2, y: y + height / 2, across: width / 2, along: height / 2 });
      const isChosen = this.isMarked(drawn.at(-1));
      Object.assign(pen, { fillStyle: look.paper, strokeStyle: box.members.length ? look.box : look.error, lineWidth: isChosen ? 3 : 1.4 });
      pen.fillRect(x, y, width, height);
      if (isChosen) this.tinted(() => pen.fillRect(x, y, width, height));
      pen.setLineDash(box.members.length ? [] : [4, 3]);
      pen.strokeRect(x, y, width, height);
    }
    pen.setLineDash([]);
    const seen = new Set();
    for (let n = 0; n < this.count; n++) {
      for (const at of [level.a[map.edges[n]], level.b[map.edges[n]]]) {
        const isBox = this.shapes && level.boxOf(at) >= 0;
        if (!isBox && level.x[at] >= sight.left && level.x[at] <= sight.right && level.y[at] >= sight.top && level.y[at] <= sight.bottom && seen.size < POINTS - boxes.length) seen.add(at);
      }
    }
    const size = level.title === "nodes" ? Math.min(9, Math.max(3, map.pitch * map.view.scale)) : 6;
    Object.assign(pen, { fillStyle: look.ink });
    for (const at of seen) {
      const [x, y] = this.pixel(level.x[at], level.y[at]);
      pen.fillRect(x - size / 2, y - size / 2, size, size);
      if (this.isChosen(at)) this.tinted(() => pen.fillRect(x - size, y - size, 2 * size, 2 * size));
      drawn.push({ at, number: -1, box: null, x, y, across: size / 2, along: size / 2 });
    }
    this.drawn = drawn;
    new Texts(this).all(drawn);
    this.cursor(drawn);
    return drawn.length;
  }

  isMarked({ at, number }) { return (number >= 0 && number === this.map.box) || (at >= 0 && this.isChosen(at)); }

  tinted(fill) {
    Object.assign(this.pen, { globalAlpha: 0.3, fillStyle: this.look.accent });
    fill();
    Object.assign(this.pen, { globalAlpha: 1, fillStyle: this.look.ink });
  }

  // Where the keys are.
  cursor(drawn) {
    const it = this.map.under(drawn);
    if (!it) return;
    Object.assign(this.pen, { strokeStyle: this.look.accent, lineWidth: 3 });
    this.pen.strokeRect(it.x - it.across - 4, it.y - it.along - 4, 2 * it.across + 8, 2 * it.along + 8);
  }
}
