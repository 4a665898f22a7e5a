/* What there is on the page after its scripts, for what its markup alone leaves in doubt. */

const mostPlaces = 1000;
const mostLetters = 30_000;

const placesOf = () => {
  const places = new Set();
  let letters = 0;
  for (const element of document.querySelectorAll("[id], a[name]")) {
    for (const place of [
      element.id,
      element.localName === "a" ? element.getAttribute("name") : "",
    ]) {
      if (!place || places.has(place)) continue;
      if (places.size >= mostPlaces || (letters += place.length) > mostLetters)
        return { places, cut: true };
      places.add(place);
    }
  }
  return { places, cut: false };
};

const headings = "h1, [role=heading][aria-level='1']";
const hidden = "[hidden], [aria-hidden=true]";

/** A main heading that is hidden from nobody; in a part that is drawn by itself, too. */
const hasHeading = (root) =>
  [...root.querySelectorAll(headings)].some((element) => !element.closest(hidden)) ||
  [...root.querySelectorAll("*")].some(({ shadowRoot }) => shadowRoot && hasHeading(shadowRoot));

const leftover =
  /\{\{\s*[\w.]+\s*\}\}|\$\{[\w.]+\}|\[object Object\]|\b(?:undefined|null|NaN|Invalid Date)\b/g;

/** Null where no script runs: the markup says it all. */
export const readShown = () => {
  if (document.scripts.length === 0) return null;
  const { places, cut } = placesOf();
  const alts = [...document.images].slice(0, 1000).map(({ alt }) => alt);
  const text = [document.body?.innerText ?? "", ...alts].join("\n").slice(0, 1_000_000);
  const leftovers = [...new Set(text.match(leftover) ?? [])].slice(0, 50);
  return {
    places: [...places],
    cut,
    heading: hasHeading(document),
    leftovers: leftovers.map((one) => one.replace(/\s+/g, " ")),
  };
};
