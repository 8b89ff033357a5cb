// Measures: their words, by how they are known, and the steps by which links are coloured. Higher is thicker, too: nothing is shown by colour alone.

const share = { bounds: [0, 0.2, 0.4, 0.6, 0.8], unit: (value) => `${(100 * value).toFixed(1)} %` };
const times = { bounds: [0, 0.5, 1, 1.5, 2], unit: (value) => `${value.toFixed(2)} ×` };
export const MEASURES = {
  used: { ...share, title: "used", about: (how) => `share of the cable's rate, ${how}` },
  waited: { ...share, title: "waited", about: (how) => `share of the time in which data waited, ${how}; the tick is assumed` },
  errors: { bounds: [0, 1, 10, 100, 1000], unit: (value) => value.toLocaleString("en"), title: "errors", about: (how) => `errors in the interval, ${how}` },
  modelled: { ...times, title: "modelled load", about: () => "flows of all hosts to all others over the mean between switches, modelled" },
  ratio: { ...times, title: "measured ÷ predicted", about: () => "what was sent over what the jobs' flows predict" },
};
export const WIDTHS = [0.6, 1, 1.6, 2.4, 3.4, 4.6, 0.5];
export const STEPS = WIDTHS.length;
export const UNKNOWN = STEPS - 1;

export const step = (measure, value) => {
  if (Number.isNaN(value)) return UNKNOWN;
  const size = Math.abs(value);
  const { bounds } = MEASURES[measure];
  let at = 0;
  while (at < bounds.length && size > bounds[at]) at++;
  return at;
};
export const words = (measure) => {
  const { bounds, unit } = MEASURES[measure];
  return ["nothing", ...bounds.slice(1).map((bound, n) => `${n ? `${unit(bounds[n])} – ` : "up to "}${unit(bound)}`), `over ${unit(bounds.at(-1))}`, "not known"];
};
