// Searches all sections of all documents; the index is fetched when the first letter is typed.
const field = document.querySelector("input[type=search]");
const results = document.querySelector("#results");
const maxResults = 20;
let index;

/** The sections that contain every word; matches in the title or heading come first. */
function search(sections, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const has = (text) => words.every((word) => text.includes(word));
  const scored = sections.flatMap((section) => {
    const heading = `${section.title} ${section.heading}`.toLowerCase();
    if (!has(`${heading} ${section.text.toLowerCase()}`)) return [];
    return [{ section, score: words.filter((word) => heading.includes(word)).length }];
  });
  return scored
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxResults)
    .map(({ section }) => section);
}

function itemFor({ title, heading, address }) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = address;
  link.textContent = heading === title ? title : `${title}: ${heading}`;
  item.append(link);
  return item;
}

field.addEventListener("input", async () => {
  index ??= fetch("/search.json").then((answer) => answer.json());
  const found = search(await index, field.value);
  results.replaceChildren(...found.map(itemFor));
  results.hidden = found.length === 0;
});
