// Long tables, and pages of many short sections, get a field that hides what does not match.
document.addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector("article");
  if (!article) return;

  function field(label, parts, groups) {
    const box = document.createElement("input");
    const count = document.createElement("output");
    const line = document.createElement("p");
    box.type = "search";
    box.placeholder = label;
    box.setAttribute("aria-label", label);
    line.className = "filter";
    line.append(box, count);
    const texts = parts.map((part) => part.textContent.toLowerCase());
    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      parts.forEach((part, k) => {
        part.hidden = !words.every((word) => texts[k].includes(word));
        if (!part.hidden) shown += 1;
      });
      groups.forEach((group) => {
        group.hidden = words.length > 0 && !parts.some((p) => group.contains(p) && !p.hidden);
      });
      count.textContent = words.length ? `${shown} of ${parts.length}` : "";
    });
    return line;
  }

  article.querySelectorAll("table").forEach((table) => {
    const rows = [...table.querySelectorAll("tbody tr")];
    if (rows.length < 12) return;
    const holder = table.closest(".pst-scrollable-table-container") || table;
    holder.before(field("Search this table", rows, []));
  });

  const sections = [...article.querySelectorAll("section > section > section")];
  const title = article.querySelector("h1");
  if (title && sections.length >= 15) {
    const groups = [...new Set(sections.map((section) => section.parentElement))];
    title.after(field("Search this page", sections, groups));
  }
});
