import { attribute, type Element } from "../page/dom.ts";
import { mediaMatches, type Viewing } from "./media.ts";
import type { IndexedSelector, PageStyles } from "./page-styles.ts";
import { type Declaration, readStyleAttribute } from "./declarations.ts";
import type { Rule } from "./sheet.ts";
import { userAgentStyle } from "./user-agent.ts";

/** A declaration that applies to an element, with what decides its precedence. */
interface Applied extends Declaration {
  rule: Rule | null;
  isUncertain: boolean;
  layer: number;
  specificity: number;
  order: number;
}

/** Stands for the value of a property with two possible results. */
export const uncertain = Symbol("uncertain");
export type Cascaded = string | typeof uncertain;

/** The style of one element in one viewing: property → value. */
export type Style = ReadonlyMap<string, Cascaded>;

function* bucketsFor(styles: PageStyles, element: Element): Generator<readonly IndexedSelector[]> {
  const keys = ["*", element.name.toLowerCase()];
  for (const [name, value] of Object.entries(element.attribs)) {
    if (name === "id") keys.push(`#${value}`);
    else if (name === "class") for (const word of value.split(/\s+/)) keys.push(`.${word}`);
    keys.push(`[${name}`);
  }
  for (const key of new Set(keys)) {
    const bucket = styles.index.get(key);
    if (bucket) yield bucket;
  }
}

/** Shorthands, and the longhands of this module that each of them sets. */
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

/**
 * Whether the first declaration has lower precedence: the order of layers is reversed for important
 * ones.
 */
function weaker(a: Applied, b: Applied): number {
  if (a.important !== b.important) return a.important ? 1 : -1;
  if (a.layer !== b.layer) return a.important ? b.layer - a.layer : a.layer - b.layer;
  return a.specificity - b.specificity || a.order - b.order;
}

/** The declarations that apply to an element, or to its `::before` and `::after`, weakest first. */
export interface Matched {
  own: readonly Applied[];
  generated: readonly Applied[];
  /** The same for elements with the same declarations. */
  signature: string;
}

/**
 * Matches an element against all rules once; media queries are decided later. `onWork` is called
 * from time to time, and throws if it takes too long.
 */
export function matchElement(
  styles: PageStyles,
  element: Element,
  onWork: () => void = () => {},
): Matched {
  const own: Applied[] = [];
  const generated: Applied[] = [];
  let signature = [...userAgentStyle(element)].join(";");
  for (const bucket of bucketsFor(styles, element)) {
    for (const [index, { rule, selector, order }] of bucket.entries()) {
      if (index % 128 === 127) onWork();
      if (!selector.matches(element)) continue;
      if (selector.pseudo === null) signature += `|${order},${selector.specificity}`;
      const layer = rule.layer === null ? Infinity : styles.layers.indexOf(rule.layer);
      const list = selector.pseudo === null ? own : generated;
      const isUncertain = rule.isUncertain || selector.isUncertain;
      const { specificity } = selector;
      for (const declaration of rule.declarations) {
        for (const long of longhands(declaration)) {
          list.push({ ...long, rule, isUncertain, layer, specificity, order });
        }
      }
    }
  }
  const inline = attribute(element, "style");
  if (inline !== undefined) signature += `|${inline}`;
  for (const declaration of inline === undefined ? [] : readStyleAttribute(inline)) {
    for (const long of longhands(declaration)) {
      const place = { layer: Infinity, specificity: Infinity, order: Infinity };
      own.push({ ...long, rule: null, isUncertain: false, ...place });
    }
  }
  return { own: own.toSorted(weaker), generated: generated.toSorted(weaker), signature };
}

/** Which media queries match in a viewing; null for those that can't be decided. */
export type MediaMatches = ReadonlyMap<string, boolean | null>;

export function evaluateMedia(styles: PageStyles, viewing: Viewing): MediaMatches {
  return new Map([...styles.media].map((list) => [list, mediaMatches(list, viewing)]));
}

/** Chooses the winning declarations of an element in one viewing. */
export function cascade(
  list: readonly Applied[],
  matches: MediaMatches,
  element: Element | null,
): Style {
  const style = new Map<string, Cascaded>();
  if (element) for (const [property, value] of userAgentStyle(element)) style.set(property, value);
  for (const { property, value, rule, isUncertain } of list) {
    const media = rule?.media ?? [];
    if (media.some((query) => matches.get(query) === false)) continue;
    const sure = !isUncertain && media.every((query) => matches.get(query) === true);
    style.set(property, sure ? value : uncertain);
  }
  return style;
}
