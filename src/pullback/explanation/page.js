"use strict";
// Rows with the same data-place come from the same line of the source. One of them may be under the
// pointer ("lit") or chosen ("pinned"); all others are shown with it.
const rows = [...document.querySelectorAll("tr[data-place]")];
const panes = [...document.querySelectorAll(".rows")];
let pinned = null;

function show(mark, place) {
  for (const row of rows) row.classList.toggle(mark, place !== null && row.dataset.place === place);
}

function scrollOthers(row) {
  const own = row.closest(".rows");
  for (const pane of panes) {
    if (pane === own || pane.offsetParent === null) continue;
    const other = pane.querySelector(`tr[data-place="${row.dataset.place}"]`);
    if (!other) continue;
    const top = other.offsetTop - pane.offsetTop, low = top + other.offsetHeight;
    const seen = top >= pane.scrollTop + 24 && low <= pane.scrollTop + pane.clientHeight;
    if (!seen) pane.scrollTop = Math.max(0, top - pane.clientHeight / 3);
  }
}

function pin(row) {
  const place = row === null ? null : row.dataset.place;
  pinned = place === pinned ? null : place;
  show("pinned", pinned);
  for (const r of rows) r.setAttribute("aria-selected", String(r.dataset.place === pinned));
  if (pinned !== null) scrollOthers(row);
}

function near(row, step) {
  const all = [...row.closest(".rows").querySelectorAll("tr[data-place]")];
  return all[all.indexOf(row) + step] || null;
}

function across(row, step) {
  const seen = panes.filter(p => p.offsetParent !== null);
  for (let k = seen.indexOf(row.closest(".rows")) + step; k >= 0 && k < seen.length; k += step) {
    const other = seen[k].querySelector(`tr[data-place="${row.dataset.place}"]`);
    if (other) return other;
  }
  return null;
}

for (const row of rows) {
  row.addEventListener("mouseenter", () => show("lit", row.dataset.place));
  row.addEventListener("mouseleave", () => show("lit", null));
  row.addEventListener("focus", () => { show("lit", row.dataset.place); scrollOthers(row); });
  row.addEventListener("blur", () => show("lit", null));
  row.addEventListener("click", () => pin(row));
  row.addEventListener("keydown", event => {
    const moves = {ArrowDown: () => near(row, 1), ArrowUp: () => near(row, -1),
                   ArrowRight: () => across(row, 1), ArrowLeft: () => across(row, -1)};
    if (event.key in moves) {
      const other = moves[event.key]();
      if (other) { row.tabIndex = -1; other.tabIndex = 0; other.focus(); }
    } else if (event.key === "Enter" || event.key === " ") {
      pin(row);
    } else if (event.key === "Escape") {
      if (pinned !== null) pin(null);
    } else {
      return;
    }
    event.preventDefault();
  });
}
for (const pane of panes) {
  const first = pane.querySelector("tr[data-place]");
  if (first) first.tabIndex = 0;
}

// One of several listings is seen at a time.
for (const set of document.querySelectorAll("fieldset[data-choice]")) {
  const choose = () => {
    const chosen = set.querySelector("input:checked").value;
    for (const part of document.querySelectorAll(`[data-of="${set.dataset.choice}"]`))
      part.hidden = part.dataset.part !== chosen;
    const row = pinned === null ? null : rows.find(r => r.dataset.place === pinned);
    if (row) scrollOthers(row);
  };
  set.addEventListener("change", choose);
  choose();
}

// The slider through the stages of the papers.
const slider = document.querySelector("#stage");
if (slider) {
  const cards = [...document.querySelectorAll("[data-card]")];
  const label = document.querySelector("#stage-name");
  const go = () => {
    cards.forEach((card, k) => { card.hidden = k !== Number(slider.value); });
    const name = cards[Number(slider.value)].dataset.card;
    label.textContent = `${Number(slider.value) + 1} of ${cards.length}`;
    slider.setAttribute("aria-valuetext", name);
  };
  slider.addEventListener("input", go);
  for (const button of document.querySelectorAll("button[data-step]"))
    button.addEventListener("click", () => {
      slider.value = Number(slider.value) + Number(button.dataset.step);
      go();
    });
  go();
}
