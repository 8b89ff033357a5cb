// What the server says: the fabric once, then numbers for each port, and events.
import { decode, pointsOf } from "./points.js";

let of = null; // of which fabric the page is: rows of ports are those of that one
const ask = async (path) => {
  const address = of === null ? path : `${path}${path.includes("?") ? "&" : "?"}of=${of}`;
  const answer = await fetch(address, { credentials: "omit" });
  if (answer.status === 409) document.dispatchEvent(new Event("changed"));
  if (!answer.ok) {
    const said = await answer.json().catch(() => null);
    throw new Error(said?.error ?? `${answer.status} ${answer.statusText}`);
  }
  return answer;
};
export const askJson = async (path) => (await ask(path)).json();
export const numbers = (text) => decode(text, Float32Array);

export const loadFabric = async () => {
  const raw = await askJson("fabric.json");
  of = raw.number;
  // As HTML, which takes names with any characters.
  const drawing = raw.drawing && new DOMParser().parseFromString(raw.drawing, "text/html").querySelector("svg");
  return {
    ...raw, ...pointsOf(raw, drawing),
    portNodes: decode(raw.port_nodes, Uint32Array), portNumbers: decode(raw.port_numbers, Uint16Array),
    portRates: decode(raw.port_rates, Float32Array), near: decode(raw.near, Uint32Array), far: decode(raw.far, Uint32Array),
  };
};

// The interval that ends at an instant, or its difference to an earlier one: a column of numbers by measure.
export const loadMoment = async (fabric, at, minus) => {
  const query = new URLSearchParams();
  if (at !== null) query.set("at", at);
  if (minus !== null) query.set("minus", minus);
  const bytes = await (await ask(`moment?${query}`)).arrayBuffer();
  const [begin, end] = new Float64Array(bytes, 0, 2);
  const count = fabric.portNodes.length;
  const values = {};
  fabric.measures.forEach((name, n) => { values[name] = new Float32Array(bytes, 16 + 4 * n * count, count); });
  return { begin, end, values };
};

// Reconnects by itself; after a pause as long as a night the page loads all afresh.
export const listen = (handlers) => {
  const source = new EventSource("events");
  for (const kind of ["instant", "trouble", "again", "changed"]) {
    source.addEventListener(kind, (event) => handlers[kind]?.(JSON.parse(event.data)));
  }
  let lost = false;
  source.addEventListener("error", () => { lost = true; handlers.lost?.(); });
  source.addEventListener("open", () => { if (lost) { lost = false; handlers.again?.(); } });
  return source;
};
