// The drawing: colour by load, a switch's ports, search. The data is described in wiring.py.
(() => {
  const data = JSON.parse(document.getElementById("fabric-data").textContent);
  const drawing = document.getElementById("drawing");
  const panel = document.getElementById("panel");
  const boxes = drawing ? [...drawing.querySelectorAll("g.box")] : [];
  const lines = drawing ? [...drawing.querySelectorAll(".cables path")] : [];
  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  const called = (node) => data.likely[node] ? `${data.names[node]} (probably ${data.likely[node]})` : data.names[node];
  const number = (value) => value.toLocaleString("en");

  const byGuid = new Map(data.guids.map((guid, node) => [guid, node]));

  // --- loads: flows by egress port of cables between switches, in the order of data.ports
  let tables = null;
  const first = [];
  let count = 0;
  data.ports.forEach((ports, s) => {
    first[s] = count;
    for (let i = 0; i < ports.length; i += 4) if (ports[i + 1] < data.switches) count++;
  });
  const load = (s, port) => {
    if (!tables) return null;
    const ports = data.ports[s];
    for (let i = 0, at = first[s]; i < ports.length; i += 4) {
      if (ports[i + 1] >= data.switches) continue;
      if (ports[i] === port) return tables.ports[at];
      at++;
    }
    return null;
  };
  const times = (flows) => `${number(flows)} (${tables.mean ? (flows / tables.mean).toFixed(2) : "–"} ×)`;
  // Thicker as well as another colour: nothing is shown by colour alone.
  const BOUNDS = [0, 0.5, 1, 1.5, 2, Infinity];
  const WORDS = ["nothing", "up to 0.5 × the mean", "0.5 to 1 ×", "1 to 1.5 ×", "1.5 to 2 ×", "more than 2 ×"];
  const titles = lines.map((line) => line.querySelector("title").textContent);
  const widths = lines.map((line) => line.getAttribute("stroke-width"));
  const colour = () => {
    const census = WORDS.map(() => 0);
    lines.forEach((line, n) => {
      const flows = tables?.lines[n];
      const step = tables ? BOUNDS.findIndex((bound) => flows <= bound * tables.mean) : -1;
      line.setAttribute("class", (tables ? `load load-${step}` : "") + (line.classList.contains("of-chosen") ? " of-chosen" : ""));
      line.setAttribute("stroke-width", tables ? [0.6, 0.7, 1.1, 1.8, 2.8, 4][step] : widths[n]);
      line.querySelector("title").textContent = titles[n] + (tables ? `; the fullest link carries ${times(flows)}` : "");
      if (step >= 0) census[step]++;
    });
    drawing.classList.toggle("by-load", tables !== null);
    const legend = document.getElementById("loads-legend");
    legend.hidden = tables === null;
    legend.replaceChildren(...WORDS.map((words, step) => element("li", {},
      element("i", { className: `swatch load-${step}` }), `${words}: ${number(census[step])} ${census[step] === 1 ? "line" : "lines"}`)));
    if (tables) legend.append(element("li", {}, `modelled: flows of all host adapters to all others on the fullest link of each line; the mean is ${number(tables.mean)}`));
  };
  const select = document.getElementById("loads");
  if (select) {
    data.loads.forEach((it, n) => select.append(element("option", { value: String(n), textContent: `load under ${it.label}` })));
    select.addEventListener("change", () => {
      tables = select.value === "" ? null : data.loads[Number(select.value)];
      colour();
      if (shown >= 0) show(shown, -1, false);
    });
    document.getElementById("drawing-tools").hidden = false;
  }

  // --- the panel: a switch's ports, or the switches of a box
  let shown = -1;
  const mark = (box) => {
    drawing?.classList.toggle("has-chosen", box >= 0);
    boxes.forEach((it, n) => it.classList.toggle("chosen", n === box));
    lines.forEach((line) => line.classList.toggle("of-chosen", line.dataset.ends.split(" ").includes(String(box))));
  };
  const link = (s) => {
    const button = element("button", { type: "button", className: "link", textContent: data.names[s] });
    button.addEventListener("click", () => show(s));
    return button;
  };
  const close = () => {
    const button = element("button", { type: "button", textContent: "Close", className: "close" });
    button.addEventListener("click", () => {
      const box = boxes[data.box[shown] ?? -1];
      panel.hidden = true;
      shown = -1;
      mark(-1);
      (box ?? document.getElementById("search")).focus();
    });
    return button;
  };
  const show = (s, port = -1, moves = true) => {
    shown = s;
    const ports = data.ports[s];
    const loaded = tables !== null;
    const head = ["port", "leads to", "port there", "rate", ...(loaded ? ["flows out (of the mean)", "flows in"] : [])];
    const body = element("tbody");
    let marked = null;
    for (let i = 0; i < ports.length; i += 4) {
      const [own, peer, there, rate] = ports.slice(i, i + 4);
      const isSwitch = peer < data.switches;
      const row = element("tr", {},
        element("td", { className: "n", textContent: own }),
        element("td", {}, isSwitch ? link(peer) : called(peer)),
        element("td", { className: "n", textContent: there }),
        element("td", { textContent: data.rates[rate] }));
      if (loaded) for (const flows of isSwitch ? [load(s, own), load(peer, there)] : [null, null]) {
        const cell = element("td", { className: "n", textContent: flows === null ? "–" : times(flows) });
        if (flows !== null) cell.dataset.sort = flows;
        row.append(cell);
      }
      if (own === port) { row.className = "marked"; marked = row; }
      body.append(row);
    }
    const table = element("table", { className: "sortable ports" },
      element("thead", {}, element("tr", {}, ...head.map((title) => element("th", { scope: "col", textContent: title, className: /port|flows/.test(title) ? "n" : "" })))), body);
    window.lacisSortable(table);
    const used = ports.length / 4;
    panel.replaceChildren(
      element("h3", { tabIndex: -1 }, data.names[s]), close(),
      element("p", { className: "small" }, element("code", { textContent: data.guids[s] }),
        ` · ${used} of ${data.radix[s]} ports in use` + (loaded ? ` · modelled: flows of all host adapters to all others under ${tables.label}` : "")),
      element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: `Ports of ${data.names[s]}` }, table));
    panel.hidden = false;
    mark(data.box[s] ?? -1);
    if (!moves) return;
    panel.querySelector("h3").focus({ preventScroll: true });
    (marked ?? panel).scrollIntoView({ block: "nearest" });
  };
  // What is absent: the ports that would lead to it.
  const showAbsent = (it) => {
    const box = boxes.findIndex((other) => !other.dataset.members && other.dataset.name === it.name);
    shown = -1;
    const rows = it.ports.map(([guid, name, port]) => element("tr", {},
      element("td", {}, byGuid.has(guid) ? link(byGuid.get(guid)) : name), element("td", { className: "n", textContent: port })));
    panel.replaceChildren(element("h3", { tabIndex: -1 }, it.name), close(), element("p", {}, `Absent ${it.kind}: ${it.words}.`));
    if (rows.length) {
      const table = element("table", { className: "sortable ports" }, element("thead", {}, element("tr", {},
        element("th", { scope: "col", textContent: "belongs at" }), element("th", { scope: "col", textContent: "empty port", className: "n" }))), element("tbody", {}, ...rows));
      window.lacisSortable(table);
      panel.append(element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: `Ports for ${it.name}` }, table));
    }
    panel.hidden = false;
    mark(box);
    (boxes[box] ?? panel).scrollIntoView({ block: "center" });
    panel.querySelector("h3").focus({ preventScroll: true });
  };
  const showBox = (box) => {
    const members = (boxes[box].dataset.members ?? "").split(" ").filter(Boolean).map(Number);
    if (members.length === 1) return show(members[0]);
    if (!members.length) {
      const gone = data.absent.find((it) => it.name === boxes[box].dataset.name);
      return gone && showAbsent(gone);
    }
    shown = -1;
    panel.replaceChildren(element("h3", { tabIndex: -1, textContent: boxes[box].getAttribute("aria-label") }), close(),
      element("p", {}, "Choose a switch for its ports:"), element("ul", { className: "members" }, ...members.map((s) => element("li", {}, link(s)))));
    panel.hidden = false;
    mark(box);
    panel.querySelector("h3").focus({ preventScroll: true });
    panel.scrollIntoView({ block: "nearest" });
    return undefined;
  };
  // One tab stop for the drawing; arrow keys move along a row and to the nearest box of another.
  const center = (box) => {
    const rect = box.querySelector("rect");
    return [Number(rect.getAttribute("x")) + Number(rect.getAttribute("width")) / 2, Number(rect.getAttribute("y"))];
  };
  const step = (n, key) => {
    const [x, y] = center(boxes[n]);
    const across = key === "ArrowLeft" || key === "ArrowRight";
    const sign = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
    let best = -1;
    let least = Infinity;
    boxes.forEach((other, m) => {
      const [dx, dy] = [center(other)[0] - x, center(other)[1] - y];
      const [along, aside] = across ? [dx * sign, Math.abs(dy)] : [dy * sign, Math.abs(dx)];
      if (m === n || along <= 0.5) return;
      const cost = along + (across ? 4 : 0.5) * aside;
      if (cost < least) [best, least] = [m, cost];
    });
    return best;
  };
  boxes.forEach((box, n) => {
    box.addEventListener("click", () => showBox(n));
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); showBox(n); return; }
      if (!event.key.startsWith("Arrow")) return;
      event.preventDefault();
      const next = step(n, event.key);
      if (next < 0) return;
      box.setAttribute("tabindex", "-1");
      boxes[next].setAttribute("tabindex", "0");
      boxes[next].focus();
    });
  });

  // --- saved as it looks: the page's style goes into the file
  document.getElementById("save-svg")?.addEventListener("click", () => {
    const copy = drawing.cloneNode(true);
    const from = [drawing, ...drawing.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((it, n) => {
      const style = getComputedStyle(from[n]);
      for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "font-size", "font-family", "paint-order"]) it.style.setProperty(name, style.getPropertyValue(name));
      it.removeAttribute("tabindex");
    });
    copy.style.background = getComputedStyle(drawing.parentElement).backgroundColor;
    const text = new XMLSerializer().serializeToString(copy);
    const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    const file = element("a", { href: address, download: "fabric.svg" });
    file.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  });

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
    (boxes[data.box[s]] ?? panel).scrollIntoView({ block: "center" });
    panel.querySelector("h3").focus({ preventScroll: true });
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
})();
