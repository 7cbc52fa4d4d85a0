// Sorts a table by the column whose heading is clicked.
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th"), body = head.closest("table").tBodies[0];
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = row => {
      const cell = row.cells[head.cellIndex], data = cell.querySelector("data");
      return data ? Number(data.value) : cell.textContent.trim();
    };
    const order = (a, b) =>
      typeof a === "number" && typeof b === "number" ? a - b : typeof a === typeof b ? a.localeCompare(b) : typeof a === "number" ? -1 : 1;
    const rows = [...body.rows].sort((a, b) => order(key(a), key(b)) * (down ? -1 : 1));
    body.append(...rows);
  });
}
