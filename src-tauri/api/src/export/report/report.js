// Draws the tables of a shift report. Everything becomes text, never markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const page = document.getElementById("page");
  const add = (parent, tag, text) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
  };
  add(page, "h1", data.title);
  for (const section of data.sections) {
    const article = add(page, "article");
    add(article, "h2", section.heading);
    if (section.rows.length === 0) {
      add(article, "p", section.empty).className = "dim";
      continue;
    }
    const table = add(article, "table");
    const head = add(add(table, "thead"), "tr");
    for (const column of section.columns) add(head, "th", column).scope = "col";
    const body = add(table, "tbody");
    for (const row of section.rows) {
      const line = add(body, "tr");
      for (const text of row) {
        const cell = add(line, "td", text);
        if (/^\d+( m?s)?$|^\d+\.\d+ s$/.test(text)) cell.className = "number";
      }
    }
  }
})();
