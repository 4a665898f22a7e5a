/* The page's content after its scripts, for what the markup alone leaves in doubt. */

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
        return { places, truncated: true };
      places.add(place);
    }
  }
  return { places, truncated: false };
};

const headings = "h1, [role=heading][aria-level='1']";
const hidden = "[hidden], [aria-hidden=true]";

/** A main heading that isn't hidden, even in a shadow root. */
const hasHeading = (root) =>
  [...root.querySelectorAll(headings)].some((element) => !element.closest(hidden)) ||
  [...root.querySelectorAll("*")].some(({ shadowRoot }) => shadowRoot && hasHeading(shadowRoot));

/* Like the check of the markup: each text separately. */
const leftover =
  /\{\{\s*[\w.]+\s*\}\}|\$\{[\w.]+\}|\[object Object\]|^\s*(?:undefined|null|NaN)\s*$|\bInvalid Date\b|\bundefined(?= undefined\b)/g;
/* A quotation in a sentence. */
const spokenOf =
  /(?<=[\p{L},:]\s)(?:“[^“”]*(?:”|$)|„[^„“”]*(?:[“”]|$)|«[^«»]*(?:»|$)|"[^"]*(?:"|$))/gu;
const mostText = 1_000_000;
const mostLeftovers = 50;
/* Elements whose text isn't the page's own; the check of the markup skips them, too. */
const silent = new Set(
  "script style template noscript code pre kbd samp var tt q blockquote math svg".split(" "),
);

/** The page's texts as written, regardless of styles. */
function* textsOf(root) {
  const walker = document.createTreeWalker(
    root,
    NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
    ({ localName }) =>
      silent.has(localName) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) yield { text: node.data, holder: node.parentElement };
  }
  for (const image of root.querySelectorAll("img[alt]")) yield { text: image.alt, holder: image };
}

/** Visible leftovers, and those that are hidden when the page opens. */
const leftoversOf = (root) => {
  const [seen, unseen] = [new Set(), new Set()];
  let letters = 0;
  for (const { text, holder } of textsOf(root)) {
    letters += text.length;
    if (letters > mostText || seen.size + unseen.size >= mostLeftovers) break;
    for (const [word] of text.replace(spokenOf, "").matchAll(leftover)) {
      const whole = word.trim().replace(/\s+/g, " ");
      (holder.checkVisibility() ? seen : unseen).add(whole);
    }
  }
  return { leftovers: [...seen], hidden: [...unseen] };
};

export const readRendered = () => {
  const { places, truncated } = placesOf();
  return {
    fragmentTargets: [...places],
    truncated,
    heading: hasHeading(document),
    ...leftoversOf(document.body ?? document.documentElement),
  };
};
