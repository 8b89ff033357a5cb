// Where nodes are, as a page has it: numbers in base64, and the drawing as SVG.
import { shapesOf } from "./shapes.js";

export const decode = (text, Type) => new Type(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)).buffer);

const racksOf = (raw) => raw && {
  ...raw, x: decode(raw.x, Float32Array), y: decode(raw.y, Float32Array), groups: decode(raw.groups, Int32Array), corners: decode(raw.corners, Float32Array),
};

export const pointsOf = (raw, svg) => ({
  x: decode(raw.x, Float32Array), y: decode(raw.y, Float32Array), box: raw.box, racks: racksOf(raw.racks), shapes: svg ? shapesOf(svg) : null,
});

// The same nodes at points of their cables, or by rack.
export const arranged = (fabric, by) => (by === "racks" && fabric.racks ? { ...fabric, ...fabric.racks, shapes: null } : fabric);
