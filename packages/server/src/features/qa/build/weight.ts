import type { ManifestFile } from "../../release/artifact/artifact.ts";
import { attribute, type Element, isElement } from "vitrine-qa/src/page/dom.ts";
import type { Page } from "vitrine-qa/src/page/page.ts";
import { type Candidate, candidatesOf } from "vitrine-qa/src/page/srcset.ts";
import { readAddress } from "vitrine-qa/src/site/address.ts";
import type { Site } from "vitrine-qa/src/site/site.ts";
import { lengthOf } from "vitrine-qa/src/style/length.ts";
import { mediaMatches } from "vitrine-qa/src/style/media.ts";

/** The assumed visit: a desktop, one device pixel per CSS pixel, scrolled to the end. */
const visit = { width: 1440, height: 900, scheme: "light" } as const;

/** The transferred size of a file. */
function encodedBytes({ bytes, encodings }: ManifestFile): number {
  return encodings.br?.bytes ?? encodings.gzip?.bytes ?? bytes;
}

/** The displayed width of an image according to `sizes`; by default the whole window. */
function shownWidth(sizes: string | undefined): number {
  const lengths = { em: 16, rem: 16, width: visit.width, height: visit.height, percent: null };
  for (const part of (sizes ?? "").split(/,(?![^(]*\))/)) {
    const text = part.trim();
    const media =
      /^((?:not\s+)?\(.*\)|[a-z]+(?:\s+and\s+\(.*\)))\s+(\S+|(?:calc|min|max|clamp)\(.*\))$/i.exec(
        text,
      );
    if (media && mediaMatches(media[1] ?? "", visit) !== true) continue;
    const length = lengthOf(media?.[2] ?? text, lengths);
    if (length !== null) return length;
  }
  return visit.width;
}

/**
 * The candidate that a browser selects: the smallest one that is large enough, otherwise the
 * largest.
 */
function chooseCandidate(
  candidates: readonly Candidate[],
  sizes: string | undefined,
): string | undefined {
  const width = shownWidth(sizes);
  const rated = candidates.map(({ address, descriptor }) => {
    const number = Number.parseFloat(descriptor) || 1;
    return { address, density: descriptor.endsWith("w") ? number / width : number };
  });
  const sorted = rated.toSorted((a, b) => a.density - b.density);
  return (sorted.find(({ density }) => density >= 1) ?? sorted.at(-1))?.address;
}

const knownTypes = /^image\/(?:avif|webp|jpeg|png|gif|svg\+xml)$/;

/** The file that a browser loads for an `img` with these sources. */
function imageAddress(image: Element): string | undefined {
  const around = image.parent;
  const sources =
    isElement(around) && around.name === "picture"
      ? around.children.filter(
          (child): child is Element => isElement(child) && child.name === "source",
        )
      : [];
  for (const source of sources) {
    const [type, media] = [attribute(source, "type"), attribute(source, "media")];
    if (type !== undefined && !knownTypes.test(type)) continue;
    if (media !== undefined && mediaMatches(media, visit) !== true) continue;
    const set = attribute(source, "srcset");
    const address = set && chooseCandidate(candidatesOf(set), attribute(source, "sizes"));
    if (address) return address;
  }
  const set = attribute(image, "srcset");
  return (
    (set && chooseCandidate(candidatesOf(set), attribute(image, "sizes"))) ||
    attribute(image, "src")
  );
}

/** Whether a font's range contains any ASCII letter. */
function hasLatin(range: string): boolean {
  if (range === "") return true;
  return range.split(",").some((part) => {
    const [from = "", to] = part.trim().replace(/^U\+/i, "").split("-");
    const [first, last] = [from.replaceAll("?", "0"), (to ?? from).replaceAll("?", "F")];
    return Number.parseInt(first, 16) <= 0x7e && Number.parseInt(last, 16) >= 0x41;
  });
}

const loadedLinks = /\b(?:preload|modulepreload)\b/i;

/** What a page's elements load, except style sheets and what these load. */
function* addressesOf(page: Page): Generator<string | undefined> {
  for (const link of page.all("link")) {
    const media = attribute(link, "media");
    if (media !== undefined && mediaMatches(media, visit) === false) continue;
    if (loadedLinks.test(attribute(link, "rel") ?? "")) yield attribute(link, "href");
  }
  for (const script of page.all("script", "iframe", "embed")) yield attribute(script, "src");
  for (const image of page.all("img")) yield imageAddress(image);
  for (const media of page.all("video", "audio")) {
    yield attribute(media, "poster");
    if (attribute(media, "autoplay") === undefined && attribute(media, "preload") !== "auto")
      continue;
    const source = media.children.find((child) => isElement(child) && child.name === "source");
    yield attribute(media, "src") ?? (isElement(source) ? attribute(source, "src") : undefined);
  }
}

/**
 * The transferred bytes of a page's first visit: HTML, style sheets, scripts, the fonts for its
 * letters, and each image in the size for a window of 1,440 px. Each file counts once.
 */
export function measurePageWeight(page: Page, site: Site): number {
  const loaded = new Set<ManifestFile>([page.file]);
  const load = (address: string | undefined, base: string): string | null => {
    const target = address === undefined ? null : readAddress(address, base, site.origin);
    const place = target?.kind === "inside" ? site.resolve(target.path) : undefined;
    if (place?.kind !== "file" || loaded.has(place.file)) return null;
    loaded.add(place.file);
    return place.path;
  };
  const loadSheet = (address: string | undefined, base: string): void => {
    const path = load(address, base);
    const sheet = path === null ? undefined : site.sheet(path);
    if (path === null || !sheet) return;
    for (const { address: inner, kind, range } of sheet.addresses) {
      if (kind === "import") loadSheet(inner, path);
      else if (kind === "image" || hasLatin(range)) load(inner, path);
    }
  };
  for (const link of page.all("link")) {
    if (/\bstylesheet\b/i.test(attribute(link, "rel") ?? "")) {
      loadSheet(attribute(link, "href"), page.path);
    }
  }
  for (const address of addressesOf(page)) {
    const path = load(address, page.path);
    if (path?.endsWith(".js")) loadImports(path, load, site);
  }
  return [...loaded].reduce((sum, file) => sum + encodedBytes(file), 0);
}

/** Static imports of a script, recursively; dynamic ones are unknown. */
function loadImports(
  first: string,
  load: (address: string, base: string) => string | null,
  site: Site,
): void {
  const scripts = [first];
  for (const script of scripts) {
    const text = (site.text(script) ?? "").slice(0, 500_000);
    for (const [, address = ""] of text.matchAll(
      /\b(?:from|import)\s*["'](\.{0,2}\/[^"']+)["']/g,
    )) {
      const path = load(address, script);
      if (path !== null && scripts.length < 200) scripts.push(path);
    }
  }
}
