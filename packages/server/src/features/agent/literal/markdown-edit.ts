import { Marked } from "marked";

/*
 * Links and alt texts of images in a record's Markdown. The source's appearance proves nothing:
 * a place counts if changing only it makes the site's parser produce the same page except for
 * that address or text. So code, titles, labels, and addresses that only look like links stay as
 * they are.
 */

/** A range of a Markdown source and its replacement. */
export interface MarkdownEdit {
  start: number;
  end: number;
  text: string;
}

/** Maximum candidates tried in one text; each try parses it again. */
const maxTries = 200;

/** A page rendered from Markdown, with its addresses and alt texts extracted. */
interface Rendered {
  /** The page with a placeholder for each of them. */
  frame: string;
  hrefs: string[];
  images: { src: string; alt: string; raw: string }[];
}

function render(source: string): Rendered | null {
  const hrefs: string[] = [];
  const images: Rendered["images"] = [];
  const marked = new Marked({
    gfm: true,
    renderer: {
      link({ href, title, tokens }) {
        const label = this.parser.parseInline(tokens);
        hrefs.push(href);
        return `<a ${JSON.stringify(title ?? null)}>${label}</a>`;
      },
      image({ href, title, text, raw }) {
        images.push({ src: href, alt: text, raw });
        return `<img ${JSON.stringify([href, title ?? null])}>`;
      },
    },
  });
  try {
    return { frame: marked.parse(source, { async: false }), hrefs, images };
  } catch (error) {
    // Quotes or lists nested thousands deep are shown as text, without links.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The link addresses and images of a text, as a page shows them. */
export function readMarkdown(source: string): Pick<Rendered, "hrefs" | "images"> {
  return render(source) ?? { hrefs: [], images: [] };
}

function withEdits(source: string, edits: readonly MarkdownEdit[]): string {
  let result = source;
  for (const { start, end, text } of edits.toSorted((a, b) => b.start - a.start)) {
    result = result.slice(0, start) + text + result.slice(end);
  }
  return result;
}

/** Whether two lists differ only in items that `isMeant` accepts. */
function differsAsMeant<Item>(
  before: readonly Item[],
  after: readonly Item[],
  isMeant: (before: Item, after: Item) => boolean,
): boolean {
  if (before.length !== after.length) return false;
  const pairs = before.map((item, i) => [item, after[i] as Item] as const);
  const changed = pairs.filter(([a, b]) => JSON.stringify(a) !== JSON.stringify(b));
  return changed.length > 0 && changed.every(([a, b]) => isMeant(a, b));
}

/** What can precede and follow the address of a link. */
const before = /[(<:\s]/;
const after = /[)>"'(\s]/;

function addressesIn(source: string, address: string): number[] {
  const found: number[] = [];
  for (let at = source.indexOf(address); at >= 0; at = source.indexOf(address, at + 1)) {
    const next = source[at + address.length];
    const isAlone = before.test(source[at - 1] ?? "") && (next === undefined || after.test(next));
    if (isAlone) found.push(at);
    if (found.length > maxTries) break;
  }
  return found;
}

/** What can be done about a link or an image in a text. */
export type MarkdownMatch =
  /** It doesn't occur. */
  | { kind: "none" }
  /** It occurs, but in a form that can't be rewritten exactly. */
  | { kind: "inexact" }
  | { kind: "edits"; edits: MarkdownEdit[] };

/** The edits that change every link from `address` to `value` and nothing else. */
export function linkEdits(source: string, address: string, value: string): MarkdownMatch {
  const page = source.includes("](") || source.includes("]:") ? render(source) : null;
  if (address === "" || !page?.hrefs.includes(address)) return { kind: "none" };
  const places = addressesIn(source, address);
  if (places.length > maxTries) return { kind: "inexact" };
  const isMeant = (old: string, next: string) => old === address && next === value;
  const edits = places
    .map((at) => ({ start: at, end: at + address.length, text: value }))
    .filter((edit) => {
      const changed = render(withEdits(source, [edit]));
      return changed?.frame === page.frame && isSameImages(page, changed)
        ? differsAsMeant(page.hrefs, changed.hrefs, isMeant)
        : false;
    });
  const whole = render(withEdits(source, edits));
  const isWhole =
    whole?.frame === page.frame &&
    isSameImages(page, whole) &&
    differsAsMeant(page.hrefs, whole.hrefs, isMeant) &&
    !whole.hrefs.includes(address);
  return isWhole ? { kind: "edits", edits } : { kind: "inexact" };
}

const withoutRaw = ({ images }: Rendered) => images.map(({ src, alt }) => ({ src, alt }));

function isSameImages(one: Rendered, other: Rendered): boolean {
  return JSON.stringify(withoutRaw(one)) === JSON.stringify(withoutRaw(other));
}

/** The places of these alt texts in the source; doesn't find those with escapes. */
function labelsIn(source: string, images: Rendered["images"]): { start: number; end: number }[] {
  const starts = new Map<number, number>();
  for (const { raw, alt } of images) {
    if (!raw.startsWith(`![${alt}]`)) continue;
    for (let at = source.indexOf(raw); at >= 0; at = source.indexOf(raw, at + 1)) {
      starts.set(at + 2, at + 2 + alt.length);
      if (starts.size > maxTries) break;
    }
  }
  return Array.from(starts, ([start, end]) => ({ start, end }));
}

const escaped = (text: string) => text.replace(/[[\]\\]/g, "\\$&");

/** The edits that give every image accepted by `isNamed` this alt text and change nothing else. */
export function altEdits(
  source: string,
  isNamed: (src: string, alt: string) => boolean,
  value: string,
): MarkdownMatch {
  const page = source.includes("![") ? render(source) : null;
  const named = page?.images.filter(({ src, alt }) => isNamed(src, alt)) ?? [];
  if (page === null || named.length === 0) return { kind: "none" };
  const open = named.filter(({ alt }) => alt !== value);
  if (open.length === 0) return { kind: "edits", edits: [] };
  const labels = labelsIn(source, open);
  if (labels.length > maxTries) return { kind: "inexact" };
  type Image = ReturnType<typeof withoutRaw>[number];
  const isMeant = (old: Image, next: Image) =>
    old.src === next.src && isNamed(old.src, old.alt) && next.alt === value;
  const isExact = (changed: Rendered | null) =>
    changed?.frame === page.frame &&
    JSON.stringify(changed.hrefs) === JSON.stringify(page.hrefs) &&
    differsAsMeant(withoutRaw(page), withoutRaw(changed), isMeant);
  const edits = labels
    .map(({ start, end }) => ({ start, end, text: escaped(value) }))
    .filter((edit) => isExact(render(withEdits(source, [edit]))));
  const whole = render(withEdits(source, edits));
  const isWhole =
    isExact(whole) &&
    whole?.images.every(({ alt }, i) => {
      const old = page.images[i];
      return old === undefined || !isNamed(old.src, old.alt) || alt === value;
    });
  return isWhole === true ? { kind: "edits", edits } : { kind: "inexact" };
}
