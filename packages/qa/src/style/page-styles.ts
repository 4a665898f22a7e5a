import { createHash } from "node:crypto";
import { attribute, type Element, rawText } from "../page/dom.ts";
import type { Page } from "../page/page.ts";
import { readAddress, type Target } from "../site/address.ts";
import type { Site } from "../site/site.ts";
import { isOnlyFonts } from "./addresses.ts";
import { readSheet, type Rule, type Sheet } from "./sheet.ts";

export interface IndexedSelector {
  rule: Rule;
  selector: Rule["selectors"][number];
  order: number;
}

/** The rules of a page's style sheets, indexed by what an element must have to match. */
export interface PageStyles {
  index: ReadonlyMap<string, readonly IndexedSelector[]>;
  layers: readonly string[];
  media: ReadonlySet<string>;
  keyframes: ReadonlyMap<string, ReadonlySet<string>>;
  registered: ReadonlyMap<string, { initial: string; inherits: boolean }>;
  /** Why the page can't be analyzed; null if it can. */
  broken: string | null;
}

/** A style sheet that a page loads immediately, with its media. */
interface LinkedSheet {
  /** The same for the same content. */
  key: string;
  media: string;
  address: string;
  read(): Sheet | null;
}

/** The name of a style sheet of the site; on a crawled site it includes the query. */
export function sheetPath(target: Target, site: Site): string | null {
  if (target.kind !== "inside") return null;
  const whole = target.path + target.search;
  return site.files[whole] ? whole : target.path;
}

function linkedSheet(element: Element, page: Page, site: Site): LinkedSheet | null {
  const media = attribute(element, "media") ?? "";
  if (element.name === "style") {
    const text = rawText(element);
    const key = createHash("sha256").update(text).digest("hex");
    return { key, media, address: "", read: () => readSheet(text) };
  }
  const rel = (attribute(element, "rel") ?? "").toLowerCase().split(/\s+/);
  if (!rel.includes("stylesheet") || rel.includes("alternate")) return null;
  if (attribute(element, "disabled") !== undefined) return null;
  const address = attribute(element, "href") ?? "";
  const target = readAddress(address, page.base, site.origin);
  if (target.kind === "outside" && isOnlyFonts(target.url)) return null;
  const path = sheetPath(target, site);
  const key = (path !== null && site.files[path]?.hash) || `? ${address}`;
  return { key, media, address, read: () => (path === null ? null : (site.sheet(path) ?? null)) };
}

/** Layers from the weakest to the strongest; nested layers are weaker than their parent. */
function orderLayers(names: readonly string[]): string[] {
  const first = new Map<string, number>();
  for (const name of names) {
    const parts = name.split(".");
    for (let i = 1; i <= parts.length; i++) {
      const prefix = parts.slice(0, i).join(".");
      if (!first.has(prefix)) first.set(prefix, first.size);
    }
  }
  const key = (name: string): number[] => {
    const parts = name.split(".");
    return [...parts.map((_, i) => first.get(parts.slice(0, i + 1).join(".")) ?? 0), Infinity];
  };
  return [...first.keys()].toSorted((a, b) => {
    const [left, right] = [key(a), key(b)];
    for (let i = 0; i < Math.min(left.length, right.length); i++) {
      if (left[i] !== right[i]) return (left[i] as number) - (right[i] as number);
    }
    return 0;
  });
}

function readStyles(sheets: readonly LinkedSheet[]): PageStyles {
  const index = new Map<string, IndexedSelector[]>();
  const layers: string[] = [];
  const media = new Set<string>();
  const keyframes = new Map<string, ReadonlySet<string>>();
  const registered = new Map<string, { initial: string; inherits: boolean }>();
  let broken: string | null = null;
  let order = 0;
  for (const { read, media: outer, address } of sheets) {
    const sheet = read();
    if (!sheet) broken ??= `the style sheet ${address.slice(0, 120)} isn’t here`;
    else broken ??= sheet.broken;
    if (!sheet || broken !== null) break;
    layers.push(...sheet.layers);
    for (const [name, changed] of sheet.keyframes) keyframes.set(name, changed);
    for (const [name, what] of sheet.registered) registered.set(name, what);
    for (const plain of sheet.rules) {
      const rule = outer === "" ? plain : { ...plain, media: [outer, ...plain.media] };
      for (const list of rule.media) media.add(list);
      order++;
      for (const selector of rule.selectors) {
        const bucket = index.get(selector.key);
        if (bucket) bucket.push({ rule, selector, order });
        else index.set(selector.key, [{ rule, selector, order }]);
      }
    }
  }
  return { index, layers: orderLayers(layers), media, keyframes, registered, broken };
}

/** Collects the style sheets of a page; pages with the same sheets share the result. */
export function stylesOf(page: Page, site: Site): PageStyles {
  const sheets = page.elements.flatMap((element) => {
    if (element.name !== "style" && element.name !== "link") return [];
    return linkedSheet(element, page, site) ?? [];
  });
  const key = sheets.map((sheet) => `${sheet.key} ${sheet.media}`).join("\n");
  return site.memoize(`styles ${key}`, () => readStyles(sheets));
}
