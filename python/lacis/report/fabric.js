// The map on the report's page: colour by load, a switch's ports, search. The data is described in wiring.py.
import { FabricMap } from "../map/assets/map.js";
import { assess, drawings } from "../map/assets/marks.js";
import { button, element, linkTo, scrolled } from "../map/assets/elements.js";
import { arranged, pointsOf } from "../map/assets/points.js";
import { saved } from "../map/assets/saved.js";
import { step, words } from "../map/assets/scale.js";

(() => {
  const data = JSON.parse(document.getElementById("fabric-data").textContent);
  const panel = document.getElementById("panel");
  const called = (node) => data.likely[node] ? `${data.names[node]} (probably ${data.likely[node]})` : data.names[node];
  const number = (value) => value.toLocaleString("en");

  const byGuid = new Map(data.guids.map((guid, node) => [guid, node]));

  // --- ports: a row for each end of a cable that is at a switch, and for the other end
  const rows = new Map();
  const fabric = { names: data.names, guids: data.guids, switches: data.switches, portNodes: [], near: [], far: [], ...pointsOf(data, document.querySelector("svg.drawing")) };
  const rowOf = (node, port) => {
    const key = 256 * node + port;
    if (!rows.has(key)) rows.set(key, fabric.portNodes.push(node) - 1);
    return rows.get(key);
  };
  const between = []; // rows of ports to other switches, in the order of the loads
  data.ports.forEach((ports, s) => {
    for (let i = 0; i < ports.length; i += 4) {
      const [own, peer, there] = ports.slice(i, i + 3);
      const [row, other] = [rowOf(s, own), rowOf(peer, there)];
      if (peer < data.switches) between.push(row);
      if (peer < data.switches && other < row) continue; // its other end had it
      fabric.near.push(row);
      fabric.far.push(other);
    }
  });
  let tables = null;
  let flows = null; // by row under these tables; not known on cables of hosts
  const times = (count) => `${number(count)} (${tables.mean ? (count / tables.mean).toFixed(2) : "–"} ×)`;

  // --- the map
  const canvas = document.getElementById("map");
  let by = "";
  let levels = drawings(fabric);
  const map = new FabricMap(canvas, fabric, levels, { scale: 0, tall: 1, x: 0, y: 0 }, true);
  window.lacisMap = map; // for tests of the page
  const { left, right, top, bottom } = map.bounds;
  document.getElementById("fabric-map").style.setProperty("--width", `${fabric.shapes ? Math.round(right - left) : 800}px`);
  canvas.style.aspectRatio = `${right - left} / ${bottom - top}`;
  document.body.classList.add("has-map");
  map.resize();
  map.onname = (name) => { document.getElementById("named").textContent = name; };
  const colour = () => {
    flows = new Float64Array(fabric.portNodes.length).fill(NaN);
    tables?.ports.forEach((count, n) => { flows[between[n]] = count; });
    map.measure = tables ? "modelled" : null;
    map.aboutEdge = (value) => (tables && !Number.isNaN(value) ? `; the fullest link carries ${times(Math.round(value * tables.mean))}` : "");
    assess(levels, fabric, tables?.mean ? flows.map((count) => count / tables.mean) : flows);
    const legend = document.getElementById("loads-legend");
    legend.hidden = tables === null;
    if (tables) {
      // Lines of the drawing; racks have none, there it is the pairs of switches.
      const counted = by === "racks" ? levels[1] : levels.at(-1);
      const census = words("modelled").map(() => 0);
      counted.value.forEach((value) => census[step("modelled", value)]++);
      legend.replaceChildren(...words("modelled").slice(0, -1).map((text, n) => element("li", {},
        element("i", { className: `swatch s${n}` }), `${text}: ${number(census[n])} ${census[n] === 1 ? "line" : "lines"}`)),
      element("li", {}, `modelled: flows of all host adapters to all others on the fullest link of each line; the mean is ${number(tables.mean)}`));
    }
    map.draw();
  };
  const select = document.getElementById("loads");
  data.loads.forEach((it, n) => select.append(element("option", { value: String(n), textContent: `load under ${it.label}` })));
  select.addEventListener("change", () => {
    tables = select.value === "" ? null : data.loads[Number(select.value)];
    colour();
    if (shown >= 0) show(shown, -1, false);
  });
  const arrangement = document.getElementById("by");
  arrangement.parentElement.hidden = fabric.racks === null;
  arrangement.addEventListener("change", () => {
    by = arrangement.value;
    levels = drawings(arranged(fabric, by));
    map.arrange(arranged(fabric, by), levels);
    map.whole();
    document.getElementById("about-drawing").hidden = by === "racks";
    colour();
  });
  for (const [id, act] of [["nearer", () => map.zoom(1.4)], ["farther", () => map.zoom(1 / 1.4)], ["whole", () => map.whole()], ["save-svg", () => saved("fabric.svg", map.svg(document.title))]]) {
    document.getElementById(id).addEventListener("click", act);
  }
  document.getElementById("drawing-tools").hidden = false;
  // Printed is what is seen, as lines.
  const printed = document.getElementById("fabric-printed");
  window.addEventListener("beforeprint", () => { printed.innerHTML = map.svg(document.title, true); });
  window.addEventListener("afterprint", () => printed.replaceChildren());
  const boxes = fabric.shapes?.boxes ?? [];
  const intoView = () => canvas.scrollIntoView({ block: "center" });

  // --- the panel: a switch's ports, or the switches of a box
  let shown = -1;
  const mark = (nodes, box = -1) => {
    Object.assign(map, { nodes, box });
    if (nodes.length && !map.isInSight(nodes[0])) map.whole();
    map.draw();
  };
  const link = (s) => linkTo(data.names[s], () => show(s));
  const close = () => {
    panel.hidden = true;
    shown = -1;
    mark([]);
    canvas.focus({ preventScroll: true });
  };
  const fill = (title, ...content) => {
    panel.replaceChildren(element("h3", { tabIndex: -1, textContent: title }), button("Close", close, "close"), ...content);
    panel.hidden = false;
  };
  const takeKeys = () => panel.querySelector("h3").focus({ preventScroll: true });
  // Columns are titles, and whether they have numbers.
  const tableOf = (label, columns, rows) => {
    const head = columns.map(([title, isNumber]) => element("th", { scope: "col", textContent: title, className: isNumber ? "n" : "" }));
    const table = element("table", { className: "sortable ports" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
    window.lacisSortable(table);
    return scrolled(label, table);
  };
  const show = (s, port = -1, moves = true) => {
    shown = s;
    const ports = data.ports[s];
    const columns = [["port", true], ["leads to", false], ["port there", true], ["rate", false], ...(tables ? [["flows out (of the mean)", true], ["flows in", true]] : [])];
    const rows = [];
    for (let i = 0; i < ports.length; i += 4) {
      const [own, peer, there, rate] = ports.slice(i, i + 4);
      const row = element("tr", { className: own === port ? "marked" : "" },
        element("td", { className: "n", textContent: own }),
        element("td", {}, peer < data.switches ? link(peer) : called(peer)),
        element("td", { className: "n", textContent: there }),
        element("td", { textContent: data.rates[rate] }));
      if (tables) for (const count of [flows[rowOf(s, own)], flows[rowOf(peer, there)]]) {
        const cell = element("td", { className: "n", textContent: Number.isNaN(count) ? "–" : times(count) });
        if (!Number.isNaN(count)) cell.dataset.sort = count;
        row.append(cell);
      }
      rows.push(row);
    }
    fill(data.names[s],
      element("p", { className: "small" }, element("code", { textContent: data.guids[s] }),
        ` · ${rows.length} of ${data.radix[s]} ports in use` + (tables ? ` · modelled: flows of all host adapters to all others under ${tables.label}` : "")),
      tableOf(`Ports of ${data.names[s]}`, columns, rows));
    mark([s]);
    if (!moves) return;
    takeKeys();
    panel.scrollIntoView({ block: "nearest" });
  };
  // What is absent: the ports that would lead to it.
  const showAbsent = (it) => {
    shown = -1;
    const rows = it.ports.map(([guid, name, port]) => element("tr", {},
      element("td", {}, byGuid.has(guid) ? link(byGuid.get(guid)) : name), element("td", { className: "n", textContent: port })));
    fill(it.name, element("p", {}, `Absent ${it.kind}: ${it.words}.`),
      ...(rows.length ? [tableOf(`Ports for ${it.name}`, [["belongs at", false], ["empty port", true]], rows)] : []));
    mark([], boxes.findIndex((box) => !box.members.length && box.name === it.name));
    intoView();
    takeKeys();
  };
  const showSwitches = (title, members) => {
    shown = -1;
    fill(title, element("p", {}, "Choose a switch for its ports:"), element("ul", { className: "members" }, ...members.map((s) => element("li", {}, link(s)))));
    mark(members);
    takeKeys();
    panel.scrollIntoView({ block: "nearest" });
  };
  // Nodes in the order of the fabric: switches first, then what hangs on them.
  const showNodes = (title, nodes) => {
    const switches = nodes.filter((node) => node < data.switches);
    if (switches.length === 1) show(switches[0]);
    else if (switches.length) showSwitches(title, switches);
    else if (nodes.length) reveal(nodes[0]);
  };
  map.onpick = (hit) => {
    if (!hit) return;
    if (hit.box && !hit.box.members.length) {
      const gone = data.absent.find((it) => it.name === hit.box.name);
      if (gone) showAbsent(gone);
      return;
    }
    const { level, edge } = hit;
    const nodesAt = (...points) => [...data.names.keys()].filter((node) => points.includes(level.pointOf(node)));
    const nodes = hit.box ? hit.box.members
      : edge !== undefined ? nodesAt(level.a[edge], level.b[edge])
      : hit.block !== undefined ? [...data.names.keys()].filter((node) => fabric.racks.groups[node] === hit.block)
      : nodesAt(hit.point);
    showNodes(map.titleOf(hit), nodes);
  };

  // --- links from tables to switches
  document.querySelectorAll("a[data-switch]").forEach((a) => a.addEventListener("click", (event) => {
    const node = byGuid.get(a.dataset.switch);
    if (node === undefined || node >= data.switches) return;
    event.preventDefault();
    reveal(node);
  }));
  document.querySelectorAll("a[data-absent]").forEach((a) => a.addEventListener("click", (event) => {
    const it = data.absent.find((other) => other.name === a.dataset.absent);
    if (!it) return;
    event.preventDefault();
    showAbsent(it);
  }));
  const seats = new Map();
  data.ports.forEach((ports, s) => {
    for (let i = 0; i < ports.length; i += 4) if (ports[i + 1] >= data.switches && !seats.has(ports[i + 1])) seats.set(ports[i + 1], [s, ports[i]]);
  });
  const reveal = (node) => {
    const [s, port] = node < data.switches ? [node, -1] : seats.get(node) ?? [-1, -1];
    if (s < 0) return false;
    show(s, port, false);
    intoView();
    takeKeys();
    panel.querySelector("tr.marked")?.scrollIntoView({ block: "nearest" });
    return true;
  };

  // --- search
  const input = document.getElementById("search");
  const found = document.getElementById("found");
  const said = document.getElementById("search-said");
  const MOST = 12;
  const collator = new Intl.Collator("en", { numeric: true });
  const keys = data.names.map((name, node) => `${name}\n${data.likely[node] ?? ""}\n${data.guids[node]}`.toLowerCase());
  // Hits are numbers of nodes; behind these come what is absent.
  data.absent.forEach((it) => keys.push(it.name.toLowerCase()));
  const gone = (hit) => data.absent[hit - data.names.length];
  const named = (hit) => gone(hit)?.name ?? data.names[hit];
  const kind = (hit) => gone(hit) ? ` absent ${gone(hit).kind}` : hit < data.switches ? " switch" : "";
  let hits = [];
  let at = -1;
  const fold = () => { found.hidden = true; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
  const choose = (n) => {
    at = n;
    [...found.children].forEach((it, m) => it.setAttribute("aria-selected", String(m === n)));
    if (n >= 0) input.setAttribute("aria-activedescendant", found.children[n].id);
  };
  const go = (n) => {
    if (hits[n] === undefined) return;
    if (gone(hits[n])) {
      showAbsent(gone(hits[n]));
      said.textContent = `${gone(hits[n]).name} is absent: where it belongs is shown`;
    } else said.textContent = reveal(hits[n]) ? `${called(hits[n])} is shown` : `${called(hits[n])} has no cable to a switch`;
    fold();
  };
  const look = () => {
    const words = input.value.trim().toLowerCase().replace(/^s-(?=[0-9a-f]{8})/, "0x");
    const all = [];
    if (words) keys.forEach((key, node) => { if (key.includes(words)) all.push(node); });
    const rank = (node) => [named(node).toLowerCase() === words, keys[node].startsWith(words)].reduce((sum, is) => 2 * sum - is, 0);
    hits = all.sort((a, b) => rank(a) - rank(b) || collator.compare(named(a), named(b))).slice(0, MOST);
    found.replaceChildren(...hits.map((node, n) => {
      const option = element("li", { id: `hit-${n}`, role: "option" }, gone(node)?.name ?? called(node), element("span", { className: "small", textContent: kind(node) }));
      option.addEventListener("mousedown", (event) => { event.preventDefault(); go(n); });
      return option;
    }));
    found.hidden = hits.length === 0;
    input.setAttribute("aria-expanded", String(hits.length > 0));
    said.textContent = words ? `${number(all.length)} found${all.length > MOST ? `, the first ${MOST} listed` : ""}` : "";
    choose(hits.length ? 0 : -1);
  };
  input.addEventListener("input", look);
  input.addEventListener("focus", () => { if (input.value) look(); });
  input.addEventListener("blur", fold);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (hits.length) choose((at + (event.key === "ArrowDown" ? 1 : hits.length - 1)) % hits.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(at);
    } else if (event.key === "Escape") fold();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(event.target.nodeName)) { event.preventDefault(); input.focus(); }
  });
  document.querySelector(".search").hidden = false;
  colour();
})();
