// A pen that writes SVG: as much of a canvas's as a map needs.
const escaped = (text) => text.replace(/[&<>"]/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[char]);
const short = (value) => String(Math.round(100 * value) / 100);

export class SvgPen {
  constructor(context, width, height) {
    Object.assign(this, { context, width, height, written: [], dash: [], moved: "", globalAlpha: 1, lineWidth: 1, lineJoin: "miter", textAlign: "left", strokeStyle: "", fillStyle: "", font: "" });
  }

  clearRect() {}
  beginPath() { this.path = []; }
  moveTo(x, y) { this.path.push(`M${short(x)},${short(y)}`); }
  lineTo(x, y) { this.path.push(`L${short(x)},${short(y)}`); }
  quadraticCurveTo(x, y, toX, toY) { this.path.push(`Q${short(x)},${short(y)} ${short(toX)},${short(toY)}`); }
  setLineDash(dash) { this.dash = dash; }
  save() {}
  translate(x, y) { this.moved = `translate(${short(x)},${short(y)})`; }
  rotate(turn) { this.moved += ` rotate(${short(turn * 180 / Math.PI)})`; }
  restore() { this.moved = ""; }
  measureText(text) { this.context.font = this.font; return this.context.measureText(text); }

  // Colours are styles, as only these take a page's variables.
  get line() {
    const dash = this.dash.length ? `;stroke-dasharray:${this.dash.join(" ")}` : "";
    return `fill:none;stroke:${this.strokeStyle};stroke-width:${this.lineWidth}${dash}${this.seen("stroke")}`;
  }

  seen(what) { return this.globalAlpha < 1 ? `;${what}-opacity:${this.globalAlpha}` : ""; }
  stroke() { if (this.path.length) this.written.push(`<path d="${this.path.join("")}" style="${this.line}"/>`); }
  rect(x, y, width, height, style) { this.written.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" style="${style}"/>`); }
  fillRect(x, y, width, height) { this.rect(x, y, width, height, `fill:${this.fillStyle}${this.seen("fill")}`); }
  strokeRect(x, y, width, height) { this.rect(x, y, width, height, this.line); }

  text(text, x, y, style) {
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    const moved = this.moved ? ` transform="${this.moved}"` : "";
    this.written.push(`<text x="${short(x)}" y="${short(y)}"${moved} text-anchor="${anchor}" style="font:${this.font};${style}">${escaped(text)}</text>`);
  }

  fillText(text, x, y) { this.text(text, x, y, `fill:${this.fillStyle}`); }
  strokeText(text, x, y) { this.text(text, x, y, `${this.line};stroke-linejoin:${this.lineJoin}`); }

  svg(background, words) {
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${short(this.width)} ${short(this.height)}" role="img" aria-label="${escaped(words)}" style="background:${background}">${this.written.join("")}</svg>`;
  }
}
