import type { CssNode } from "css-tree";
import parse from "css-tree/parser";
import { addressesOf, importAddress, isOnlyFonts, type SheetAddress } from "./addresses.ts";
import { type Declaration, declarationsOf, textOf } from "./declarations.ts";
import { readSelectors, type RuleSelector } from "./selector.ts";

export interface Rule {
  selectors: readonly RuleSelector[];
  declarations: readonly Declaration[];
  /** Media query lists that must all match. */
  media: readonly string[];
  /** The cascade layer, `a.b`; null for none. */
  layer: string | null;
  /** It is inside a condition that can't be evaluated. */
  isUncertain: boolean;
}

/** A style sheet, as far as text and its background are concerned. */
export interface Sheet {
  rules: readonly Rule[];
  addresses: readonly SheetAddress[];
  /** Layers in the order in which they first occur. */
  layers: readonly string[];
  /** The properties that each `@keyframes` changes. */
  keyframes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Initial values of registered custom properties, and whether they are inherited. */
  registered: ReadonlyMap<string, { initial: string; inherits: boolean }>;
  /** Why pages with this sheet can't be analyzed; null if they can. */
  broken: string | null;
}

/** Larger style sheets aren't analyzed. */
const bounds = {
  bytes: 2 * 1024 * 1024,
  rules: 10_000,
  prelude: 5000,
  nesting: 10,
  depth: 30,
} as const;

interface Place {
  parents: string | null;
  media: readonly string[];
  layer: string | null;
  isUncertain: boolean;
  depth: number;
}

interface Reading {
  rules: Rule[];
  addresses: SheetAddress[];
  layers: string[];
  keyframes: Map<string, Set<string>>;
  registered: Map<string, { initial: string; inherits: boolean }>;
  broken: string | null;
  /** The number of anonymous layers. */
  unnamed: number;
  /** Whether rules are read, or only addresses. */
  withRules: boolean;
}

function nestedSelector(parents: string | null, own: string): string {
  if (parents === null) return own;
  return own.includes("&") ? own.replaceAll("&", `:is(${parents})`) : `:is(${parents}) ${own}`;
}

/** The nesting depth of parentheses. */
function nesting(selector: string): number {
  let depth = 0;
  let max = 0;
  for (const char of selector) {
    if (char === "(") max = Math.max(max, ++depth);
    else if (char === ")") depth--;
  }
  return max;
}

function addRule(reading: Reading, block: CssNode, selector: string, place: Place): void {
  if (!reading.withRules) return;
  if (reading.rules.length >= bounds.rules) reading.broken = "it has too many rules";
  if (selector.length > bounds.prelude || nesting(selector) > bounds.nesting) {
    reading.broken = "a selector is too long";
  }
  if (reading.broken !== null) return;
  const declarations = declarationsOf(block);
  if (declarations.length === 0) return;
  const selectors = readSelectors(selector);
  // A browser drops a rule with an unknown selector, but a selector that is unknown here may be
  // known there.
  if (selectors === null) return;
  const { media, layer, isUncertain: uncertain } = place;
  reading.rules.push({ selectors, declarations, media, layer, isUncertain: uncertain });
}

function readRule(reading: Reading, node: CssNode, place: Place): void {
  const own = textOf(node.prelude);
  const selector = nestedSelector(place.parents, own);
  reading.addresses.push(...addressesOf(node.block, false));
  if (node.block) {
    addRule(reading, node.block, selector, place);
    readChildren(reading, node.block, { ...place, parents: selector });
  }
}

function nameLayer(reading: Reading, place: Place, name: string): string {
  const own = name === "" ? `(${reading.unnamed++})` : name;
  const full = place.layer === null ? own : `${place.layer}.${own}`;
  if (!reading.layers.includes(full)) reading.layers.push(full);
  return full;
}

function readKeyframes(reading: Reading, node: CssNode): void {
  const changed = reading.keyframes.get(textOf(node.prelude)) ?? new Set<string>();
  for (const frame of node.block?.children ?? []) {
    for (const { property } of declarationsOf(frame.block)) changed.add(property);
    reading.addresses.push(...addressesOf(frame.block, false));
  }
  reading.keyframes.set(textOf(node.prelude), changed);
}

function readRegistration(reading: Reading, node: CssNode): void {
  let initial = "";
  let inherits = true;
  for (const { property, value } of node.block?.children ?? []) {
    if (property?.toLowerCase() === "initial-value") initial = textOf(value);
    if (property?.toLowerCase() === "inherits") inherits = textOf(value) !== "false";
  }
  reading.registered.set(textOf(node.prelude), { initial, inherits });
}

function readImport(reading: Reading, node: CssNode): void {
  const imported = importAddress(node);
  if (imported === undefined) return;
  reading.addresses.push(imported);
  const url = URL.parse(imported.address, "https://own.invalid");
  if (url && isOnlyFonts(url)) return;
  // Conditional imports are too rare to follow; their content counts as unknown.
  reading.broken ??= "it imports another style sheet";
}

/** Whether current browsers meet an `@supports` condition. */
function supportsMatches(text: string): boolean | null {
  if (/-moz-|-ms-/.test(text)) return null;
  return !/\bnot\b/.test(text)
    ? true
    : /^not\s*\([^()]*(?:\([^()]*\)[^()]*)*\)$/.test(text)
      ? false
      : null;
}

function readAtRule(reading: Reading, node: CssNode, place: Place): void {
  const name = textOf(node.name)
    .toLowerCase()
    .replace(/^-(?:webkit|moz|o)-/, "");
  const prelude = textOf(node.prelude);
  const inside = (change: Partial<Place>) => {
    if (!node.block) return;
    const inner = { ...place, ...change };
    // Declarations directly inside, which nesting allows, belong to the parent rule.
    if (place.parents !== null) addRule(reading, node.block, place.parents, inner);
    readChildren(reading, node.block, inner);
  };
  if (name === "media") inside({ media: [...place.media, prelude] });
  else if (name === "supports") {
    const holds = supportsMatches(prelude);
    if (holds !== false) inside({ isUncertain: place.isUncertain || holds === null });
  } else if (name === "layer") {
    const names = prelude === "" ? [""] : prelude.split(",").map((part) => part.trim());
    const full = names.map((part) => nameLayer(reading, place, part));
    if (node.block) inside({ layer: full[0] ?? null });
  } else if (name === "container" || name === "scope") inside({ isUncertain: true });
  else if (name === "keyframes") readKeyframes(reading, node);
  else if (name === "font-face") reading.addresses.push(...addressesOf(node.block, true));
  else if (name === "property") readRegistration(reading, node);
  else if (name === "import") readImport(reading, node);
}

function readChildren(reading: Reading, block: CssNode, place: Place): void {
  if (place.depth >= bounds.depth) {
    reading.broken = "it nests too deep";
    return;
  }
  const inner = { ...place, depth: place.depth + 1 };
  for (const node of block.children ?? []) {
    if (node.type === "Rule") readRule(reading, node, inner);
    else if (node.type === "Atrule") readAtRule(reading, node, inner);
  }
}

function readAll(text: string, withRules: boolean): Reading {
  const reading: Reading = {
    rules: [],
    addresses: [],
    layers: [],
    keyframes: new Map(),
    registered: new Map(),
    broken: text.length > bounds.bytes ? "it is too large" : null,
    unnamed: 0,
    withRules,
  };
  if (reading.broken !== null) return reading;
  try {
    const tree = parse(text, {
      context: "stylesheet",
      positions: true,
      parseValue: false,
      parseRulePrelude: false,
      parseAtrulePrelude: false,
      parseCustomProperty: false,
    });
    const place = { parents: null, media: [], layer: null, isUncertain: false, depth: 0 };
    readChildren(reading, tree, place);
  } catch {
    reading.broken = "it can't be read";
  }
  return reading;
}

/** Only a text with one of these can contain an address. */
const mayName = /@import|url\(|src\(|image|\\/i;

/**
 * Parses a style sheet: its addresses, and everything else on demand, because usually only the
 * addresses are needed. Errors are in `broken`; nothing is thrown.
 */
export function readSheet(text: string): Sheet {
  let addresses: readonly SheetAddress[] | undefined;
  let whole: Reading | undefined;
  const all = () => (whole ??= readAll(text, true));
  return {
    get addresses() {
      addresses ??= mayName.test(text) ? (whole ?? readAll(text, false)).addresses : [];
      return addresses;
    },
    get rules() {
      return all().rules;
    },
    get layers() {
      return all().layers;
    },
    get keyframes() {
      return all().keyframes;
    },
    get registered() {
      return all().registered;
    },
    get broken() {
      return all().broken;
    },
  };
}
