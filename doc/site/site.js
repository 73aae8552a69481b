// The search box: names that begin with what is typed, then those that hold it, then those whose title holds it.
"use strict";
const input = document.getElementById("search"), found = document.getElementById("found"), root = document.body.dataset.root;
const MOST = 40;

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const ranks = [[], [], []];
  for (const entry of names) {
    const name = entry[0].toLowerCase(), all = name + " " + entry[2].toLowerCase();
    if (name.startsWith(words[0]) && words.every(word => all.includes(word))) ranks[0].push(entry);
    else if (words.every(word => name.includes(word))) ranks[1].push(entry);
    else if (words.every(word => all.includes(word))) ranks[2].push(entry);
  }
  return ranks.flat().slice(0, MOST);
}

function show() {
  found.replaceChildren(...search(input.value).map(([name, to, about]) => {
    const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
    link.href = root + to;
    link.textContent = name;
    small.textContent = about;
    link.append(small);
    item.append(link);
    return item;
  }));
}

input.addEventListener("input", show);
input.form.addEventListener("submit", event => {
  event.preventDefault();
  found.querySelector("a")?.click();
});
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === "Escape") {
    found.replaceChildren();
    input.blur();
  }
});
// A page can be asked for with words: "index.html?q=fma".
input.value = new URLSearchParams(location.search).get("q") ?? "";
show();
