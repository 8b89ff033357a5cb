// The panel: a port's two ends with their curves; or the ports of a node or of a bundle of cables.
import { askJson } from "./data.js";
import { button, element, linkTo, scrolled } from "./elements.js";

const numeric = (textContent) => element("td", { className: "n", textContent });
const percent = (value) => (value === null ? "–" : `${(100 * value).toFixed(1)} %`);
const rate = (value) => (value === null ? "–" : `${(value / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB/s`);
const job = ({ name, flows, share, within, beside }) => {
  if (beside.length) return `${name}: not separable from ${beside.join(", ")}`;
  if (share === null) return `${name}: ${flows.toLocaleString("en")} ${flows === 1 ? "flow" : "flows"}`;
  const [least, most] = [Math.max(0, share - within), Math.min(1, share + within)].map((value) => Math.round(100 * value));
  return within > 0.1 ? `${name}: ${least} to ${most} %` : `${name}: ${Math.round(100 * share)} % ± ${Math.round(100 * within)}`;
};
const MOST = 200;

export class Panel {
  constructor(root, fabric, onport, onclose) {
    Object.assign(this, { root, fabric, onport, onclose, asked: 0, row: -1 });
  }

  portName(row) { return `${this.fabric.names[this.fabric.portNodes[row]]}[${this.fabric.portNumbers[row]}]`; }

  fill(title, ...content) {
    this.row = -1;
    this.root.replaceChildren(element("h2", { tabIndex: -1, textContent: title }), button("Close", () => this.close()), ...content);
    this.root.hidden = false;
  }

  close() { this.root.hidden = true; this.onclose(); }

  // Ports, each with its value.
  list(title, rows, values, unit) {
    this.highest(title, rows, (row) => values[row], unit, (row) => [element("td", {}, linkTo(this.portName(row), () => this.onport(row)))]);
  }

  // What is in a rack: each node with the highest value of its ports.
  nodes(title, nodes, valueOf, unit, onnode) {
    this.highest(title, nodes, valueOf, unit, (node) => [
      element("td", {}, linkTo(this.fabric.names[node], () => onnode(node))), element("td", { textContent: node < this.fabric.switches ? "switch" : "" })]);
  }

  // A table of things with a value each, the highest first.
  highest(title, things, valueOf, unit, cellsOf) {
    const values = new Map(things.map((it) => [it, valueOf(it)]));
    const sorted = [...things].sort((a, b) => (values.get(b) || 0) - (values.get(a) || 0));
    const rows = sorted.slice(0, MOST).map((it) => element("tr", {}, ...cellsOf(it), numeric(Number.isNaN(values.get(it)) ? "–" : unit(values.get(it)))));
    const more = things.length > MOST ? element("p", {}, `the first ${MOST} of ${things.length.toLocaleString("en")}`) : "";
    this.fill(title, scrolled(title, element("table", {}, element("tbody", {}, ...rows))), more);
  }

  async port(row, at) {
    const asked = ++this.asked;
    const node = this.fabric.portNodes[row];
    const query = new URLSearchParams({ guid: this.fabric.guids[node], port: this.fabric.portNumbers[row] });
    if (at !== null) query.set("at", at);
    let found;
    try {
      found = await askJson(`port.json?${query}`);
    } catch (error) {
      if (asked !== this.asked) return;
      const trouble = element("p", { className: "tag error", textContent: error.message });
      if (this.row === row && !this.root.hidden) this.about.replaceChildren(trouble);
      else this.fill(this.portName(row), trouble);
      return;
    }
    if (asked !== this.asked) return;
    const lines = [
      ["sends", ...found.sent.map(rate)], ["used", ...found.share.map(percent)], ["waited (tick assumed)", ...found.waited.map(percent)],
      ["modelled load (of the mean)", ...found.modelled.map((value) => (value === null ? "–" : `${value.toFixed(2)} ×`))],
      ...found.jobs.some((jobs) => jobs.length) ? [["jobs", ...found.jobs.map((jobs) => jobs.map(job).join("; "))]] : [],
      ...Object.entries(found.counters).map(([name, values]) => [name, ...values.map((value) => (value === null ? "–" : `+${value.toLocaleString("en")}`))]),
    ];
    const head = element("tr", {}, element("th", { scope: "col", textContent: "" }), ...found.names.map((name) => element("th", { scope: "col", textContent: name })));
    const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines.map(([name, ...cells]) =>
      element("tr", {}, element("th", { scope: "row", textContent: name }), ...cells.map(numeric)))));
    const chart = element("div");
    // What is shown already is renewed around the pairs, in which a reader may be typing.
    const isThere = this.row === row && !this.root.hidden;
    if (!isThere) {
      const pairs = element("section", { hidden: !this.fabric.has_tables });
      this.about = element("div");
      this.fill(found.names.join(" ↔ "), this.about, pairs);
      this.row = row;
      this.renew = this.fabric.has_tables ? this.pairs(pairs) : () => {};
    }
    this.about.replaceChildren(element("p", {}, `the cable carries ${rate(found.rate)} each way`), chart, scrolled("Counters", table));
    this.curve(chart, found);
    this.renew(query);
  }

  // Which host sends to which over the cable, each way; what is typed keeps the pairs that have it.
  pairs(root) {
    let query = null;
    const input = element("input", { type: "search", value: this.text ?? "", placeholder: "nodes, a job", autocomplete: "off" });
    const lists = element("div");
    root.replaceChildren(element("h3", { textContent: "Pairs behind it, by the tables" }), element("label", {}, "with ", input), lists);
    let number = 0;
    const load = async () => {
      const asked = ++number;
      let found;
      try {
        found = await askJson(`pairs.json?${query}&${new URLSearchParams({ text: input.value })}`);
      } catch (error) {
        if (asked === number) lists.replaceChildren(element("p", { textContent: error.message }));
        return;
      }
      if (asked === number) lists.replaceChildren(...found.ends.map((end) => this.pairsOf(end, found)));
    };
    let waiting = 0;
    input.addEventListener("input", () => {
      this.text = input.value;
      this.ontext?.(input.value);
      clearTimeout(waiting);
      waiting = setTimeout(load, 150);
    });
    return (asked) => { query = asked; load(); };
  }

  // A pair leads to its route.
  routeOf(pair) {
    return Object.assign(linkTo(pair.source, () => this.onpair(pair)), { title: "its route" });
  }

  pairsOf(end, { of_jobs: ofJobs }) {
    const counted = (count) => `${count.toLocaleString("en")} ${count === 1 ? "pair" : "pairs"}`;
    const said = end.found === end.total ? counted(end.total) : `${end.found.toLocaleString("en")} of ${counted(end.total)}`;
    const listed = end.pairs.length < end.found ? `, the first ${end.pairs.length}` : "";
    const whose = ofJobs ? " of the jobs" : " of all hosts to all others";
    const head = ["from", "to", ...(ofJobs ? ["job", "rate, modelled"] : []), "share, modelled"];
    const chosen = (part) => (part < 1 ? ` (${percent(part)} of it by this port)` : "");
    const rows = end.pairs.map((one) => element("tr", {}, element("td", {}, this.routeOf(one)), element("td", { textContent: one.target }),
      ...(ofJobs ? [element("td", { textContent: one.job }), numeric(rate(one.rate))] : []),
      numeric(`${(100 * one.share).toPrecision(3)} %${chosen(one.part)}`)));
    const table = element("table", { hidden: rows.length === 0 }, element("thead", {}, element("tr", {}, ...head.map((title) => element("th", { scope: "col", textContent: title })))), element("tbody", {}, ...rows));
    return element("div", {}, element("p", { textContent: `sent by ${end.name}: ${said}${whose}${listed}` }), scrolled(`Pairs sent by ${end.name}`, table));
  }

  curve(root, found) {
    if (found.curve.times.length < 2 || !window.uPlot) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const series = found.names.map((name, n) => ({ label: name, stroke: colour(n ? "--s4" : "--s2"), width: 2, dash: n ? [5, 4] : [] }));
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line") } };
    new window.uPlot({
      width: Math.max(240, root.clientWidth || 340), height: 160, series: [{}, ...series],
      axes: [axis, { ...axis, values: (_, ticks) => ticks.map((tick) => `${Math.round(100 * tick)} %`) }],
      scales: { x: { time: found.curve.times.at(-1) > 1e6 }, y: { range: [0, 1] } }, // a simulation counts from 0
    }, [found.curve.times, ...found.curve.shares], root);
  }
}
