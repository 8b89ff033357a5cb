// The page: what is shown is in the address, so that each view can be kept and sent.
import { askJson, listen, loadFabric, loadMoment, numbers } from "./data.js";
import { FabricMap } from "./map.js";
import { element, linkTo } from "./elements.js";
import { again, assess, drawings } from "./marks.js";
import { arranged } from "./points.js";
import { saved } from "./saved.js";
import { Panel } from "./panel.js";
import { MEASURES, words } from "./scale.js";

const by = (id) => document.getElementById(id);
const state = { measure: "used", by: "", at: null, minus: null, port: null, node: null, rack: null, pairs: "", from: "", to: "", cut: "", engine: "", adaptive: "", view: null };
const TOP = 20;

const readAddress = () => {
  const query = new URLSearchParams(location.hash.slice(1));
  for (const name of ["measure", "by", "port", "node", "rack", "pairs", "from", "to", "cut", "engine", "adaptive", "view"]) state[name] = query.get(name) ?? (name === "measure" ? "used" : ["by", "pairs", "from", "to", "cut", "engine", "adaptive"].includes(name) ? "" : null);
  for (const name of ["at", "minus"]) {
    const seconds = Number(query.get(name) || NaN);
    state[name] = seconds >= 0 && seconds < 1e10 ? seconds : null;
  }
  if (!MEASURES[state.measure]) state.measure = "used";
  if (state.by !== "racks") state.by = "";
};
let written = "";
const writeAddress = () => {
  const query = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== null && value !== ""));
  written = `#${query}`;
  history.replaceState(null, "", written);
};

const start = async () => {
  readAddress();
  const fabric = await loadFabric();
  by("name").textContent = fabric.name;
  document.title = `Lacis: ${fabric.name}`;
  by("source").textContent = [`${fabric.switches.toLocaleString("en")} switches, ${(fabric.names.length - fabric.switches).toLocaleString("en")} end nodes`, fabric.engine && `tables of ${fabric.engine}${fabric.adaptive ? ", switches choose among shortest paths" : ""}`, fabric.source].filter(Boolean).join(" · ");
  const placed = () => arranged(fabric, state.by);
  let levels = drawings(placed());
  let ghosts = again(levels);
  const view = { scale: 0, tall: 1, x: 0, y: 0 };
  const readView = () => {
    const [x, y, scale, tall] = (state.view ?? "").split(",").map(Number);
    if (![x, y, scale, tall].every(Number.isFinite) || scale <= 0 || tall <= 0) return false;
    Object.assign(view, { x, y, scale, tall, isWhole: false });
    return true;
  };
  readView();
  const map = new FabricMap(by("map"), placed(), levels, view);
  let second = null;
  let ghostValues = null;
  let moment = null;
  let instants = [];
  const panel = new Panel(by("panel"), fabric, (row) => showPort(row), () => { state.port = state.node = state.rack = null; map.chosen = -1; map.draw(); writeAddress(); });
  panel.text = state.pairs;
  panel.ontext = (text) => { state.pairs = text; writeAddress(); };
  window.lacisMap = map; // for tests of the page

  // --- what is coloured
  for (const name of fabric.measures) by("measure").append(element("option", { value: name, textContent: MEASURES[name].title }));
  const aboutEdge = (measure) => (value) => (Number.isNaN(value) ? "" : `; ${MEASURES[measure].title}: ${MEASURES[measure].unit(value)}`);
  const about = (measure) => MEASURES[measure].about(fabric.is_modelled ? "modelled" : "measured");
  const colour = () => {
    const values = moment.values[state.measure];
    const unit = MEASURES[state.measure].unit;
    map.measure = state.measure;
    map.aboutEdge = aboutEdge(state.measure);
    assess(levels, fabric, values);
    map.draw();
    by("measure").value = state.measure;
    by("legend").replaceChildren(...words(state.measure).map((text, n) => element("li", {}, element("span", { className: `swatch s${n}` }), text)));
    by("shown").textContent = (state.minus === null ? "" : "difference of ") + about(state.measure);
    by("top-head").textContent = MEASURES[state.measure].title;
    // Of a difference what changed most comes first, whichever way; what is less is dashed on the map.
    const differs = state.minus !== null;
    const size = differs ? Math.abs : (value) => value;
    if (differs) by("legend").append(element("li", {}, element("span", { className: "swatch less" }), "dashed: less than then"));
    const signed = (value) => (differs && value > 0 ? `+${unit(value)}` : unit(value));
    const order = [...values.keys()].filter((row) => !Number.isNaN(values[row])).sort((a, b) => size(values[b]) - size(values[a])).slice(0, TOP);
    by("top").replaceChildren(...order.map((row) => {
      const link = linkTo(panel.portName(row), () => showPort(row));
      return element("tr", {}, element("td", {}, link), element("td", { className: "n", textContent: signed(values[row]) }));
    }));
  };
  by("measure").addEventListener("change", () => { state.measure = by("measure").value; writeAddress(); colour(); });

  // --- how it is arranged
  if (!fabric.racks) by("by").options[1].textContent = "racks (names give none)";
  const sayArranged = () => {
    by("by").value = state.by;
    by("arranged").textContent = state.by === "racks" && !fabric.racks ? "Names give no racks: arranged by cables. " : "";
  };
  let shownBy = state.by;
  const arrange = () => {
    sayArranged();
    if (state.by === shownBy) return;
    shownBy = state.by;
    levels = drawings(placed());
    ghosts = again(levels);
    map.arrange(placed(), levels);
    if (second) { second.arrange(placed(), ghosts); if (ghostValues) assess(ghosts, fabric, ghostValues); }
  };
  by("by").addEventListener("change", () => { state.by = by("by").value; arrange(); map.whole(); colour(); });
  sayArranged();

  // --- time
  const clock = (seconds) => (seconds === undefined ? "" : seconds < 1e6 ? `${seconds.toPrecision(6)} s` : new Date(1000 * seconds).toLocaleString());
  const nearest = (at) => (at === null ? instants.length - 1 : Math.max(0, instants.findLastIndex((end) => end <= at + 1e-6)));
  const load = async () => {
    try {
      moment = await loadMoment(fabric, state.at, state.minus);
    } catch (error) { say(error.message); return; }
    by("when").textContent = clock(instants[nearest(state.at)]);
    by("then").textContent = state.minus === null ? "" : clock(instants[nearest(state.minus)]);
    by("live").setAttribute("aria-pressed", String(state.at === null));
    colour();
  };
  const loadInstants = async () => {
    const found = await askJson("instants.json");
    instants = found.ends;
    say(found.trouble);
    for (const id of ["time", "before"]) by(id).max = Math.max(0, instants.length - 1);
    by("time").value = nearest(state.at);
    by("before").value = state.minus === null ? 0 : nearest(state.minus);
    by("times").hidden = instants.length === 0;
    by("compares").checked = state.minus !== null;
    by("before").disabled = state.minus === null;
  };
  const say = (text) => { by("trouble").textContent = text ?? ""; };
  by("time").addEventListener("input", () => { state.at = instants[by("time").value] ?? null; writeAddress(); load(); });
  by("before").addEventListener("input", () => { state.minus = instants[by("before").value] ?? null; writeAddress(); load(); });
  by("compares").addEventListener("change", () => {
    by("before").disabled = !by("compares").checked;
    state.minus = by("compares").checked ? instants[by("before").value] ?? null : null;
    writeAddress(); load();
  });
  by("live").addEventListener("click", () => { state.at = null; by("time").value = by("time").max; writeAddress(); load(); });

  // --- ports, nodes, bundles
  const rowsOf = new Map();
  fabric.near.forEach((row, n) => { for (const one of [row, fabric.far[n]]) { const node = fabric.portNodes[one]; if (!rowsOf.has(node)) rowsOf.set(node, []); rowsOf.get(node).push(one); } });
  const showPort = (row) => {
    state.port = panel.portName(row); state.node = state.rack = null;
    map.chosen = row;
    map.draw();
    writeAddress();
    panel.port(row, state.at);
  };
  const showNode = (node, reveals = true) => {
    state.node = fabric.names[node]; state.port = state.rack = null;
    if (reveals) map.reveal(node);
    writeAddress();
    panel.list(fabric.names[node], rowsOf.get(node) ?? [], moment.values[state.measure], MEASURES[state.measure].unit);
  };
  const showRack = (rack) => {
    const { groups, group_names: names, contents } = fabric.racks;
    state.rack = names[rack]; state.port = state.node = null;
    writeAddress();
    const values = moment.values[state.measure];
    const most = (node) => (rowsOf.get(node) ?? []).reduce((high, row) => (values[row] > high || Number.isNaN(high) ? values[row] : high), NaN);
    const nodes = [...fabric.names.keys()].filter((node) => groups[node] === rack);
    panel.nodes(`${names[rack]}: ${contents[rack]}`, nodes, most, MEASURES[state.measure].unit, (node) => showNode(node, false));
  };
  // An address may lead to a port whose cable is missing: its node is shown.
  const showUncabled = (name) => {
    const node = nodeOf(name.replace(/\[\d+\]$/, ""));
    if (node >= 0) showNode(node, !state.view);
    say(node < 0 ? `no port is called ${name}` : `${fabric.names[node]}${/\[\d+\]$/.exec(name) ?? ""} has no cable`);
  };
  map.onpick = (hit) => {
    if (!hit) return;
    const { level } = hit;
    if (hit.edge !== undefined) {
      const cables = [...level.members.subarray(level.start[hit.edge], level.start[hit.edge + 1])];
      const rows = cables.flatMap((cable) => [fabric.near[cable], fabric.far[cable]]);
      if (cables.length === 1) { showPort(rows[0]); return; }
      panel.list(`${level.nameOf(level.a[hit.edge])} – ${level.nameOf(level.b[hit.edge])}`, rows, moment.values[state.measure], MEASURES[state.measure].unit);
      return;
    }
    if (hit.box && !hit.box.members.length) { say(hit.box.title); return; }
    if (hit.block !== undefined) { showRack(hit.block); return; }
    if (level.title === "racks") { showRack(hit.point); return; }
    const nodes = [...fabric.names.keys()].filter((node) => level.pointOf(node) === hit.point);
    if (nodes.length === 1) { showNode(nodes[0], false); return; }
    panel.list(level.nameOf(hit.point), nodes.flatMap((node) => rowsOf.get(node) ?? []), moment.values[state.measure], MEASURES[state.measure].unit);
  };
  const index = new Map();
  fabric.names.forEach((name, node) => { if (!index.has(name)) index.set(name, node); });
  const nodeOf = (name) => index.get(name) ?? fabric.guids.indexOf(name.toLowerCase());
  const portRow = (name) => {
    const found = /^(.*)\[(\d+)\]$/.exec(name ?? "");
    return found ? (rowsOf.get(nodeOf(found[1])) ?? []).find((row) => fabric.portNumbers[row] === Number(found[2])) ?? -1 : -1;
  };

  // --- search
  const keys = fabric.names.map((name, node) => `${name}\n${fabric.guids[node]}`.toLowerCase());
  const nodeLike = (text) => (nodeOf(text) >= 0 ? nodeOf(text) : keys.findIndex((key) => key.includes(text.toLowerCase())));
  by("search").addEventListener("input", () => {
    const text = by("search").value.trim().toLowerCase();
    const exact = nodeOf(by("search").value.trim());
    if (exact >= 0 && text) { showNode(exact); return; }
    const hits = [];
    for (let node = 0; text && node < keys.length && hits.length < 20; node++) if (keys[node].includes(text)) hits.push(node);
    by("found").replaceChildren(...hits.map((node) => element("option", { value: fabric.names[node] })));
  });
  by("search").addEventListener("change", () => {
    const text = by("search").value.trim();
    const node = text ? nodeLike(text) : -1;
    if (node >= 0) showNode(node); else if (text) say(`no node is called ${text}`);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !by("panel").hidden) panel.close();
    if (event.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(event.target.nodeName)) { event.preventDefault(); by("search").focus(); }
  });
  by("ends").replaceChildren(...fabric.names.slice(fabric.switches, fabric.switches + 500).map((name) => element("option", { value: name })));
  by("whole").addEventListener("click", () => { map.whole(); });
  by("save").addEventListener("click", () => saved("fabric.svg", map.svg(fabric.name)));
  map.onname = (name) => { by("named").textContent = name; };

  // --- routes
  const showRoute = async () => {
    if (!state.from || !state.to) { map.route = {}; map.draw(); by("route-said").textContent = ""; return; }
    try {
      const found = await askJson(`route.json?${new URLSearchParams({ from: state.from, to: state.to })}`);
      const rows = (way) => found.rails.flatMap((one) => one[way].rows.filter((row) => row >= 0));
      map.route = { there: rows("there"), back: rows("back") };
      by("route-said").replaceChildren(...found.rails.map(({ rail, there, back }) => element("p", { textContent:
        `${rail === null || found.rails.length === 1 ? "" : `rail ${rail}: `}there (${there.verdict}): ${there.nodes.join(" → ")}; back (${back.verdict}): ${back.nodes.join(" → ")}` })));
    } catch (error) { map.route = {}; by("route-said").textContent = error.message; }
    map.draw();
  };
  by("route").addEventListener("submit", (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    Object.assign(state, { from: form.get("from"), to: form.get("to") });
    writeAddress(); showRoute();
  });
  // By name where that says which node it is, else by LID.
  const called = (name, lid) => (fabric.names.indexOf(name) >= 0 && fabric.names.indexOf(name) === fabric.names.lastIndexOf(name) ? name : String(lid));
  panel.onpair = ({ source, target, lids }) => {
    Object.assign(state, { from: called(source, lids[0]), to: called(target, lids[1]) });
    Object.assign(by("route").elements.from, { value: state.from });
    Object.assign(by("route").elements.to, { value: state.to });
    by("route").parentElement.open = true;
    writeAddress(); showRoute();
  };
  by("no-route").addEventListener("click", () => { state.from = state.to = ""; writeAddress(); showRoute(); });

  // --- what if: a second map beside the first, which moves with it
  const showWhatIf = async () => {
    by("beside").hidden = true;
    by("whatif-said").textContent = "";
    if (!state.cut && !state.engine && !state.adaptive) return;
    const query = new URLSearchParams();
    for (const cut of state.cut.split(",").map((one) => one.trim()).filter(Boolean)) query.append("cut", cut);
    if (state.engine) query.set("engine", state.engine);
    if (state.adaptive) query.set("adaptive", "1");
    by("whatif-said").textContent = "computing …";
    let found;
    try { found = await askJson(`whatif.json?${query}`); } catch (error) { by("whatif-said").textContent = error.message; return; }
    const fell = found.engine === found.asked ? "" : ` (${found.asked} refuses it)`;
    const chosen = found.adaptive ? ", switches choose among shortest paths" : "";
    by("whatif-said").textContent = `${found.engine}${fell}${chosen}: ${found.words}; the fullest link carries ${found.most.toLocaleString("en")} flows` + (found.most_before === null ? "" : `, now ${found.most_before.toLocaleString("en")}`) + (found.credit_loops ? `; ${found.credit_loops} credit loops` : "");
    by("beside").hidden = false;
    ghostValues = numbers(found.values);
    assess(ghosts, fabric, ghostValues);
    if (!second) {
      second = new FabricMap(by("map-if"), placed(), ghosts, view);
      second.aboutEdge = aboutEdge("modelled");
      second.onview = () => map.draw();
      map.onview = () => { second.draw(); keepView(); };
      second.onwhole = () => map.draw();
    }
    second.measure = state.measure = "modelled";
    by("shown-if").textContent = `${about("modelled")}, with the change`;
    colour();
    second.resize();
  };
  by("whatif").addEventListener("submit", (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    Object.assign(state, { cut: form.get("cut"), engine: form.get("engine"), adaptive: form.get("adaptive") ? "1" : "" });
    writeAddress(); showWhatIf();
  });
  by("no-whatif").addEventListener("click", () => { state.cut = state.engine = state.adaptive = ""; by("whatif").reset(); writeAddress(); showWhatIf(); });

  // --- findings
  const loadFindings = async () => {
    const { findings, work } = await askJson("findings.json");
    by("work-head").textContent = `Work at cables (${work.length})`;
    by("work").replaceChildren(...work.map((one) => element("li", {},
      element("span", { className: `tag ${one.severity}`, textContent: `${one.action}: ` }),
      ...one.ends.flatMap((end, n) => {
        const node = fabric.guids.indexOf(end.guid);
        const shows = () => { const row = portRow(end.name); if (row >= 0) showPort(row); else showNode(node); };
        return [...(n ? [" – "] : []), node >= 0 ? linkTo(end.name, shows) : end.name];
      }), `: ${one.why} (${one.code})`)));
    by("finding-head").textContent = `Findings (${findings.length})`;
    by("findings").replaceChildren(...findings.map((one) => element("li", {},
      element("span", { className: `tag ${one.severity}`, textContent: `${one.severity} ${one.code}: ` }), one.text, ` → ${one.advice} `,
      ...one.nodes.map((guid) => {
        const node = fabric.guids.indexOf(guid);
        return element("span", {}, node < 0 ? guid : linkTo(fabric.names[node], () => showNode(node)), " ");
      }))));
  };

  let keeping = 0;
  const keepView = () => {
    clearTimeout(keeping);
    keeping = setTimeout(() => { state.view = [view.x, view.y, view.scale, view.tall].map((value) => Number(value.toPrecision(6))).join(","); writeAddress(); }, 300);
  };
  map.onview = keepView;
  map.onwhole = () => { state.view = null; writeAddress(); };
  const all = async () => {
    by("route").elements.from.value = state.from; by("route").elements.to.value = state.to;
    by("whatif").elements.cut.value = state.cut; by("whatif").elements.engine.value = state.engine;
    by("whatif").elements.adaptive.checked = state.adaptive !== "";
    // What an address asks for is seen at once.
    if (state.from && state.to) by("route").parentElement.open = true;
    if (state.cut || state.engine || state.adaptive) by("whatif").parentElement.open = true;
    await loadInstants();
    await load();
    if (state.port && portRow(state.port) >= 0) showPort(portRow(state.port));
    else if (state.port) showUncabled(state.port);
    else if (state.node && nodeLike(state.node) >= 0) showNode(nodeLike(state.node), !state.view);
    else if (state.node) say(`no node is called ${state.node}`);
    else if (state.rack) {
      const rack = fabric.racks?.group_names.indexOf(state.rack) ?? -1;
      if (rack >= 0) showRack(rack); else say(`no rack is called ${state.rack}`);
    }
    await Promise.all([showRoute(), showWhatIf(), loadFindings()]);
  };
  document.addEventListener("changed", () => { by("changed").hidden = false; });
  by("reload").addEventListener("click", () => location.reload());
  window.addEventListener("hashchange", () => { if (location.hash !== written) { readAddress(); panel.text = state.pairs; arrange(); if (readView()) map.draw(); else map.whole(); second?.draw(); all(); } });
  await all();
  window.lacisEvents = listen({ // for tests of the page
    instant: async () => { await loadInstants(); if (state.at === null) { await load(); if (state.port && portRow(state.port) >= 0) panel.port(portRow(state.port), null); } },
    trouble: say,
    changed: () => document.dispatchEvent(new Event("changed")),
    again: async () => { await loadInstants(); await load(); if (state.port && portRow(state.port) >= 0) panel.port(portRow(state.port), state.at); },
    lost: () => say("the server does not answer; what is shown may be old"),
  });
  document.body.dataset.ready = String(Math.round(performance.now())); // since navigation began [ms]
};

start().catch((error) => { by("trouble").textContent = error.message; });
