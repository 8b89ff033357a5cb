// The texts of a map: labels of the drawing, and names where there is room for them.

const APART = 40; // pixels of a unit of length, from which on nodes of a rack have their names
const FEW = 60; // points, all of which may have names
const LABEL = 10.5; // pixels: the size of labels in the drawing
const LARGEST = 1.25; // times that size, up to which they grow
const LINE = 14; // pixels
const LONGEST = 26; // characters of a name, which is cut in the middle, as in the drawing
const NAME = 11; // pixels: the size of names of nodes
const NEAR = 1.5; // times the drawing's own size
const SMALL = 0.66; // times the size of labels: smaller ones cannot be read
const WIDE = 0.62; // of a character, of the size of its text

// What is taken by boxes and texts: rectangles by rows of so many pixels.
class Taken {
  constructor() { this.rows = new Map(); }

  rowsOf(top, bottom) {
    const [first, last] = [Math.floor(top / LINE), Math.floor(bottom / LINE)];
    return Array.from({ length: Math.min(200, last - first + 1) }, (_, n) => first + n);
  }

  take(left, top, right, bottom) {
    for (const row of this.rowsOf(top, bottom)) {
      if (!this.rows.has(row)) this.rows.set(row, []);
      this.rows.get(row).push([left, right, top, bottom]);
    }
  }

  // Whether nothing is there; then it is taken.
  isFree(left, top, right, bottom) {
    const meets = ([from, to, high, low]) => from < right && to > left && high < bottom && low > top;
    if (this.rowsOf(top, bottom).some((row) => this.rows.get(row)?.some(meets))) return false;
    this.take(left, top, right, bottom);
    return true;
  }
}

// A text that stands out from lines behind it, unless nothing is around it.
export const write = (pen, text, x, y, ink, around) => {
  Object.assign(pen, { lineWidth: 3, lineJoin: "round", strokeStyle: around, fillStyle: ink });
  if (around) pen.strokeText(text, x, y);
  pen.fillText(text, x, y);
};

export class Texts {
  constructor(painting) {
    const { pen, look, map, level, shapes } = painting;
    Object.assign(this, { painting, pen, look, map, level, shapes, taken: new Taken(), scale: Math.min(LARGEST, map.view.scale) });
  }

  // Of what is drawn, boxes and points.
  all(drawn) {
    const { map, level, shapes } = this;
    for (const it of drawn) this.taken.take(it.x - it.across, it.y - it.along, it.x + it.across, it.y + it.along);
    const isLabelled = shapes && this.scale >= SMALL;
    if (isLabelled) {
      for (const it of drawn) for (const label of it.box?.labels ?? []) this.label(label, it);
      for (const label of shapes.labels) this.label(label, null);
    }
    // In a block of a rack names of nodes have no room until they stand far apart.
    if (map.fabric.corners && (level.title === "racks" || map.view.scale < APART)) return;
    // Of what hangs on the boxes of a drawing once that is few, or near.
    const isNamed = !shapes || drawn.length <= FEW || map.view.scale >= NEAR;
    this.names(drawn.filter((it) => (it.box ? !isLabelled || !it.box.labels.length : isNamed)));
  }

  names(drawn) {
    const { pen, look, map, level } = this;
    Object.assign(pen, { font: `${NAME}px system-ui, sans-serif`, textAlign: "center" });
    for (const it of drawn.sort((one, other) => one.x - other.x)) {
      const name = it.box?.name || level.nameOf(it.at);
      const text = name.length > LONGEST ? `${name.slice(0, LONGEST / 2)}…${name.slice(-LONGEST / 2)}` : name;
      const half = WIDE * NAME * text.length / 2 + 2;
      // Names at the edge stay inside, unless their node is outside.
      const x = it.x < 0 || it.x > map.width ? it.x : Math.min(map.width - half, Math.max(half, it.x));
      const y = it.y + it.along + NAME;
      if (this.taken.isFree(x - half, y - 9, x + half, y + 2)) write(pen, text, x, y, look.ink, look.panel);
    }
  }

  // How large a label is, of its size in the drawing: of a tree as large as there where it has the room in spite of a smaller scale.
  factor(label, it) {
    const { scale, shapes, map } = this;
    if (!shapes.isStretched || scale >= 1) return scale;
    const long = WIDE * LABEL * label.text.length;
    // Beside the levels, where a line of text is above another.
    if (!it) return long < (shapes.gutter - label.x) * scale && LINE * scale * map.view.tall > LINE - 1 ? 1 : scale;
    return (label.turn ? it.across > 5.5 && scale * map.view.tall >= 1 : long < 2.4 * it.across) ? 1 : scale;
  }

  // A label of the drawing, as far from its box as there.
  label(label, it) {
    const { pen, look, map, painting } = this;
    const factor = this.factor(label, it);
    const away = (at, low, high, pixel, half) => (at > high ? pixel + half + (at - high) * factor : at < low ? pixel - half - (low - at) * factor : pixel + (at - (low + high) / 2) * factor);
    const [x, y] = it ? [away(label.x, it.box.left, it.box.right, it.x, it.across), away(label.y, it.box.top, it.box.bottom, it.y, it.along)] : map.pixel(label.x, label.y);
    if (x < -50 || x > map.width + 50 || y < -50 || y > map.height + 200) return;
    const isName = label.kind.startsWith("name");
    const ink = it && !it.box.members.length && isName ? look.error : isName ? look.ink : look.soft;
    const size = LABEL * factor;
    const weight = it && isName && painting.isMarked(it) ? "bold " : "";
    Object.assign(pen, { font: `${weight}${size.toFixed(1)}px system-ui, sans-serif`, textAlign: { start: "left", middle: "center", end: "right" }[label.anchor] });
    const turn = label.turn * Math.PI / 180;
    pen.save();
    pen.translate(x, y);
    pen.rotate(turn);
    write(pen, label.text, 0, 0, ink, label.kind.includes("inside") ? null : look.panel);
    pen.restore();
    const [long, from] = [WIDE * size * label.text.length, { start: 0, middle: -0.5, end: -1 }[label.anchor]];
    const [ax, ay] = [x + from * long * Math.cos(turn), y + from * long * Math.sin(turn)];
    const [bx, by] = [ax + long * Math.cos(turn), ay + long * Math.sin(turn)];
    this.taken.take(Math.min(ax, bx) - 3, Math.min(ay, by) - 9, Math.max(ax, bx) + 3, Math.max(ay, by) + 2);
  }
}
