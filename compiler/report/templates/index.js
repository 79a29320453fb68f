"use strict";
for (const section of document.querySelectorAll(".listing")) {
  const body = section.querySelector("tbody");
  const rows = [...body.rows];
  const heads = [...section.querySelectorAll("thead th")];
  const filter = section.querySelector(".filter");
  const only = section.querySelector(".only");
  const shown = section.querySelector(".shown");
  const words = rows.map((row) => row.textContent.toLowerCase());

  const show = () => {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    rows.forEach((row, index) => {
      const fits = wanted.every((word) => words[index].includes(word)) && (!only.checked || row.classList.contains("faulty"));
      row.hidden = !fits;
      count += fits;
    });
    shown.textContent = shown.dataset.text.replace("{0}", count).replace("{1}", rows.length);
  };
  filter.addEventListener("input", show);
  only.addEventListener("change", show);

  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const numbers = rows.every((row) => !isNaN(Number(row.cells[column].dataset.key)));
      const key = (row) => row.cells[column].dataset.key;
      const order = (a, b) => numbers ? Number(key(a)) - Number(key(b)) : key(a).localeCompare(key(b), document.documentElement.lang);
      const sorted = [...rows].sort((a, b) => (down ? -order(a, b) : order(a, b)));
      body.append(...sorted);
    });
  });
  show();
}
