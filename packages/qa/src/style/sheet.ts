import { type CssNode, parse } from "css-tree";
import { addressesOf, importAddress, isOnlyFonts, type SheetAddress } from "./addresses.ts";
import { type Declaration, declarationsOf, textOf } from "./declarations.ts";
import { readSelectors, type RuleSelector } from "./selector.ts";

export interface Rule {
  selectors: readonly RuleSelector[];
  declarations: readonly Declaration[];
  /** Media query lists that must all hold. */
  media: readonly string[];
  /** The cascade layer, `a.b`; null for none. */
  layer: string | null;
  /** It stands under a condition that can't be told here. */
  isUncertain: boolean;
}

/** A style sheet, as far as text and its background go. */
export interface Sheet {
  rules: readonly Rule[];
  addresses: readonly SheetAddress[];
  /** Layers in the order in which they are first named. */
  layers: readonly string[];
  /** Properties that each `@keyframes` changes. */
  keyframes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Initial values of registered custom properties, and whether they are inherited. */
  registered: ReadonlyMap<string, { initial: string; inherits: boolean }>;
  /** Why nothing certain can be said of pages with this sheet; null when all is well. */
  broken: string | null;
}

/** A sheet beyond these is not asked for styles. */
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
  /** Names for layers that have none. */
  unnamed: number;
  /** Whether rules are read, or addresses alone. */
  withRules: boolean;
}

function nestedSelector(parents: string | null, own: string): string {
  if (parents === null) return own;
  return own.includes("&") ? own.replaceAll("&", `:is(${parents})`) : `:is(${parents}) ${own}`;
}

/** How deep parentheses stand in each other. */
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
  // A browser drops a rule whose selector it doesn't know; what is not known here may be known there.
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
  // What is imported under conditions is too rare to follow; what it says is then unknown.
  reading.broken ??= "it imports another style sheet";
}

/** Whether a condition on what browsers can do holds for current ones. */
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
    // Declarations straight inside, as nesting allows, belong to the rule around.
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

/** Only what has one of these in it can name an address. */
const mayName = /@import|url\(|src\(|image|\\/i;

/**
 * Reads a style sheet: its addresses, and all else when it is asked for, because most are only asked
 * what they load. What can't be read is said in `broken`; nothing is thrown.
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
