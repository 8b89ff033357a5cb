// Tables sort by their headings and are copied as text; commands are copied too.
(() => {
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.sort !== undefined ? Number(cell.dataset.sort) : cell.textContent.trim();
  };
  const names = new Intl.Collator(undefined, { numeric: true });
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : names.compare(String(a), String(b));
  const sort = (table, column, head) => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    for (const body of table.tBodies) {
      const rows = [...body.rows].filter((row) => !row.classList.contains("group"));
      rows.sort((a, b) => (up ? 1 : -1) * compare(value(a, column), value(b, column)));
      body.append(...rows);
    }
  };
  const sortable = (table) => [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, column, head));
  });
  document.querySelectorAll("table.sortable").forEach(sortable);
  // Long tables show their first rows; a button shows the rest. Copied and printed they are whole.
  document.querySelectorAll("button.all").forEach((button) => {
    const table = button.parentElement.previousElementSibling.querySelector("table");
    table.classList.add("folded");
    button.hidden = false;
    button.addEventListener("click", () => { table.classList.remove("folded"); button.remove(); });
  });
  window.lacisSortable = sortable;

  const copy = async (text, button) => {
    const said = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // no permission, or a page that was opened from a file
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = said; }, 1500);
  };
  const asText = (table) => [...table.rows].map((row) => [...row.cells]
    .map((cell) => [...cell.childNodes].map((node) => node.nodeName === "BR" ? " " : node.textContent).join("").trim())
    .join("\t")).join("\n") + "\n";
  document.querySelectorAll("button[data-copy]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => copy(asText(document.querySelector(button.dataset.copy)), button));
  });
  document.querySelectorAll("button[data-print]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      document.body.classList.add("print-list");
      window.print();
      document.body.classList.remove("print-list");
    });
  });
  document.querySelectorAll("div.copied").forEach((box) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => copy(box.querySelector("code").textContent, button));
    box.append(button);
  });
  // What is folded is printed too.
  window.addEventListener("beforeprint", () => document.querySelectorAll("details:not([open])").forEach((it) => { it.open = true; it.dataset.folded = ""; }));
  window.addEventListener("afterprint", () => document.querySelectorAll("details[data-folded]").forEach((it) => { it.open = false; delete it.dataset.folded; }));
})();
