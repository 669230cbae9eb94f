"use strict";
// Sort a table by the column whose header is clicked: by number if every cell begins with one, else by text.
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const table = head.closest("table");
    const column = [...head.parentNode.children].indexOf(head);
    const descending = head.getAttribute("aria-sort") === "ascending";
    const rows = [...table.tBodies[0].rows];
    const texts = new Map(rows.map((row) => [row, row.cells[column].textContent.trim()]));
    const numeric = [...texts.values()].every((text) => !Number.isNaN(parseFloat(text)));
    const compare = numeric
      ? (a, b) => parseFloat(texts.get(a)) - parseFloat(texts.get(b))
      : (a, b) => texts.get(a).localeCompare(texts.get(b));
    rows.sort((a, b) => (descending ? -compare(a, b) : compare(a, b)));
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    table.tBodies[0].append(...rows);
  });
}
