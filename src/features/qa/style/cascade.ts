import { attribute, type Element, rawText } from "../page/dom.ts";
import type { Page } from "../page/page.ts";
import type { Site } from "../site/site.ts";
import { readAddress } from "../site/address.ts";
import { mediaHolds, type Viewing } from "./media.ts";
import { type Declaration, readSheet, readStyleAttribute, type Rule, type Sheet } from "./sheet.ts";
import { userAgentStyle } from "./user-agent.ts";

/** A declaration that applies to an element, with what decides between it and others. */
interface Applied extends Declaration {
  rule: Rule | null;
  uncertain: boolean;
  layer: number;
  specificity: number;
  order: number;
}

/** Stands for the value of a property for which two answers are possible. */
export const unsure = Symbol("unsure");
export type Cascaded = string | typeof unsure;

/** What applies to one element in one viewing: property → value. */
export type Style = ReadonlyMap<string, Cascaded>;

interface IndexedSelector {
  rule: Rule;
  selector: Rule["selectors"][number];
  order: number;
}

/** The style sheets of a page, by what an element must have to be meant. */
export interface PageStyles {
  index: ReadonlyMap<string, readonly IndexedSelector[]>;
  layers: readonly string[];
  media: ReadonlySet<string>;
  keyframes: ReadonlyMap<string, ReadonlySet<string>>;
  registered: ReadonlyMap<string, { initial: string; inherits: boolean }>;
  /** Whether anything asks for the colour scheme. */
  asksScheme: boolean;
  /** Why nothing can be said of this page; null when all is well. */
  broken: string | null;
}

/** The sheets that a page loads at once, in their order, with the media that they are for. */
function sheetsOf(
  page: Page,
  site: Site,
): { sheet: Sheet | null; media: string; address: string }[] {
  return page.elements.flatMap((element) => {
    const media = attribute(element, "media") ?? "";
    if (element.name === "style")
      return [{ sheet: readSheet(rawText(element)), media, address: "" }];
    const rel = (attribute(element, "rel") ?? "").toLowerCase().split(/\s+/);
    if (element.name !== "link" || !rel.includes("stylesheet")) return [];
    if (rel.includes("alternate") || attribute(element, "disabled") !== undefined) return [];
    const href = attribute(element, "href") ?? "";
    const target = readAddress(href, page.path, site.origin);
    const sheet = target.kind === "inside" ? (site.sheet(target.path) ?? null) : null;
    return [{ sheet, media, address: href }];
  });
}

/** Layers from the weakest to the strongest; what is in a layer's own layers is weaker than it. */
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

/** Brings the style sheets of a page together. */
export function stylesOf(page: Page, site: Site): PageStyles {
  const index = new Map<string, IndexedSelector[]>();
  const layers: string[] = [];
  const media = new Set<string>();
  const keyframes = new Map<string, ReadonlySet<string>>();
  const registered = new Map<string, { initial: string; inherits: boolean }>();
  let broken: string | null = null;
  let order = 0;
  for (const { sheet, media: outer, address } of sheetsOf(page, site)) {
    if (!sheet) broken ??= `the style sheet ${address} isn’t here`;
    else broken ??= sheet.broken;
    if (!sheet || broken !== null) continue;
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
  const asksScheme = true;
  return { index, layers: orderLayers(layers), media, keyframes, registered, asksScheme, broken };
}

function* bucketsFor(styles: PageStyles, element: Element): Generator<readonly IndexedSelector[]> {
  const keys = ["*", element.name.toLowerCase()];
  for (const [name, value] of Object.entries(element.attribs)) {
    if (name === "id") keys.push(`#${value}`);
    else if (name === "class") keys.push(...value.split(/\s+/).map((word) => `.${word}`));
    keys.push(`[${name}`);
  }
  for (const key of new Set(keys)) {
    const bucket = styles.index.get(key);
    if (bucket) yield bucket;
  }
}

/** Shorthands, and the longhands here that each of them sets. */
const shorthands: Readonly<Record<string, readonly string[]>> = {
  background: ["background-color", "background-image", "background-clip"],
  font: ["font-size", "font-weight"],
  animation: ["animation-name"],
  "-webkit-background-clip": ["background-clip"],
};
const everything = [
  "color",
  "background-color",
  "background-image",
  "opacity",
  "display",
  "visibility",
  "font-size",
  "font-weight",
  "color-scheme",
  "position",
  "filter",
];

function longhands({ property, value, important }: Declaration): Declaration[] {
  if (property === "all") return everything.map((name) => ({ property: name, value, important }));
  const names = shorthands[property];
  if (!names) return [{ property, value, important }];
  return names.map((name) => ({ property: name, value: `${property}:${value}`, important }));
}

/** Whether the same declaration beats the other: layers turn around for important ones. */
function weaker(a: Applied, b: Applied): number {
  if (a.important !== b.important) return a.important ? 1 : -1;
  if (a.layer !== b.layer) return a.important ? b.layer - a.layer : a.layer - b.layer;
  return a.specificity - b.specificity || a.order - b.order;
}

/** What applies to an element, or to what is generated before and after it, weakest first. */
export interface Matched {
  own: readonly Applied[];
  generated: readonly Applied[];
}

/** Asks all rules once; what holds in which viewing is decided later. */
export function matchElement(styles: PageStyles, element: Element): Matched {
  const own: Applied[] = [];
  const generated: Applied[] = [];
  for (const bucket of bucketsFor(styles, element)) {
    for (const { rule, selector, order } of bucket) {
      if (!selector.matches(element)) continue;
      const layer = rule.layer === null ? Infinity : styles.layers.indexOf(rule.layer);
      const list = selector.pseudo === null ? own : generated;
      const uncertain = rule.uncertain || selector.uncertain;
      const { specificity } = selector;
      for (const declaration of rule.declarations) {
        for (const long of longhands(declaration)) {
          list.push({ ...long, rule, uncertain, layer, specificity, order });
        }
      }
    }
  }
  const inline = attribute(element, "style");
  for (const declaration of inline === undefined ? [] : readStyleAttribute(inline)) {
    for (const long of longhands(declaration)) {
      const place = { layer: Infinity, specificity: Infinity, order: Infinity };
      own.push({ ...long, rule: null, uncertain: false, ...place });
    }
  }
  return { own: own.toSorted(weaker), generated: generated.toSorted(weaker) };
}

/** Which media queries hold in a viewing; null for those that can't be told. */
export type MediaTruths = ReadonlyMap<string, boolean | null>;

export function mediaTruths(styles: PageStyles, viewing: Viewing): MediaTruths {
  return new Map([...styles.media].map((list) => [list, mediaHolds(list, viewing)]));
}

/** Picks the winners of an element's declarations in one viewing. */
export function cascade(
  list: readonly Applied[],
  truths: MediaTruths,
  element: Element | null,
): Style {
  const style = new Map<string, Cascaded>();
  if (element) for (const [property, value] of userAgentStyle(element)) style.set(property, value);
  for (const { property, value, rule, uncertain } of list) {
    const media = rule?.media ?? [];
    if (media.some((query) => truths.get(query) === false)) continue;
    const sure = !uncertain && media.every((query) => truths.get(query) === true);
    style.set(property, sure ? value : unsure);
  }
  return style;
}
