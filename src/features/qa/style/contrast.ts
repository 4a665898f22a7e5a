import {
  ancestorsOf,
  attribute,
  closest,
  type Element,
  elementsBelow,
  isElement,
  isHiddenFromReaders,
  isText,
  parentOf,
} from "../page/dom.ts";
import { metaOf, type Page } from "../page/page.ts";
import type { Site } from "../site/site.ts";
import { cascade, type Matched, matchElement, mediaTruths } from "./cascade.ts";
import { type PageStyles, stylesOf } from "./page-styles.ts";
import { contrastOf, type Rgba } from "./color.ts";
import { type Computed, compute, isPicture } from "./computed.ts";
import type { Viewing } from "./media.ts";
import { findOverlays, type Overlays } from "./overlays.ts";
import { colorsOf } from "./paint.ts";

/** Text that is too faint on what is behind it. */
export interface FaintText {
  element: Element;
  text: string;
  ratio: number;
  needed: number;
  front: Rgba;
  back: Rgba;
  viewing: Viewing;
}

/** What looking at a page came to: the faint texts, or why it could not be done. */
export interface ContrastReport {
  faint: FaintText[];
  /** How many texts were told to be good or faint, and how many could not be. */
  told: number;
  untold: number;
  notChecked: string | null;
}

/** A phone and a desktop, each in both schemes. */
export const viewings: readonly Viewing[] = [
  { width: 390, height: 844, scheme: "light" },
  { width: 390, height: 844, scheme: "dark" },
  { width: 1440, height: 900, scheme: "light" },
  { width: 1440, height: 900, scheme: "dark" },
];

/** No page is looked at for longer than this, in ms of the processor's time. */
const patience = 2500;

function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const controls = new Set(["option", "optgroup", "select", "textarea", "input"]);

/** The words directly in an element; a single letter may be a drawing. Nothing without letters. */
function ownText(element: Element): string {
  let text = "";
  for (const child of element.children) if (isText(child)) text += child.data;
  const words = text.replace(/\s+/g, " ").trim();
  return [...words].length > 1 && /[\p{L}\p{N}]/u.test(words) ? words : "";
}

function isDisabled(element: Element): boolean {
  return (
    attribute(element, "aria-disabled") === "true" ||
    (attribute(element, "disabled") !== undefined &&
      /^(?:button|input|select|textarea|fieldset|option)$/.test(element.name))
  );
}

/** Text of a control that can't be used, or of its label, may be faint (WCAG 1.4.3). */
function isExempt(page: Page, element: Element): boolean {
  if (closest(element, isDisabled)) return true;
  const label = closest(element, ({ name }) => name === "label");
  const id = label && attribute(label, "for");
  const inner =
    label && [...elementsBelow(label)].find(({ name }) => /^(?:input|select|textarea)$/.test(name));
  const control = id ? page.ids.get(id)?.[0] : inner;
  if (control && closest(control, isDisabled)) return true;
  const own = attribute(element, "id");
  return own !== undefined && disabledLabels(page).has(own);
}

const labelled = new WeakMap<Page, Set<string>>();

/** The ids of what names a control that can't be used. */
function disabledLabels(page: Page): Set<string> {
  const known = labelled.get(page);
  if (known) return known;
  const disabled = page.elements.filter(isDisabled);
  const found = new Set(
    disabled.flatMap((control) => (attribute(control, "aria-labelledby") ?? "").split(/\s+/)),
  );
  labelled.set(page, found);
  return found;
}

/** The elements whose own words are looked at. */
function textElements(page: Page): { element: Element; text: string }[] {
  const found: { element: Element; text: string }[] = [];
  for (const element of page.elements) {
    if (controls.has(element.name)) continue;
    const text = ownText(element);
    if (text === "" || isHiddenFromReaders(element)) continue;
    if (closest(element, ({ name }) => name === "svg" || name === "math" || name === "head"))
      continue;
    if (!isExempt(page, element)) found.push({ element, text });
  }
  return found;
}

interface Look {
  computed: ReadonlyMap<Element, Computed>;
  /** Asked for only where a text is faint: it takes long. */
  overlays(): Overlays;
  viewing: Viewing;
}

/** Whether something is laid between these two, so that what is behind can't be told. */
function isCrossed(look: Look, chain: readonly Element[]): boolean {
  const [text] = chain;
  for (const element of chain) {
    for (const overlay of look.overlays().get(element) ?? []) {
      if (overlay === null || !chainHolds(overlay, text as Element)) return true;
    }
  }
  const top = chain.at(-1) as Element;
  if (top.name !== "html" && top.name !== "body") return false;
  return (look.overlays().get(null) ?? []).some(
    (overlay) => overlay === null || !chainHolds(overlay, text as Element),
  );
}

function chainHolds(outer: Element, inner: Element): boolean {
  return closest(inner, (at) => at === outer) !== undefined;
}

const areas = ["grid-area", "grid-row", "grid-column"];

/** Whether an element is laid over a sibling: in the same cell of a grid, or by a negative margin. */
function isLaidOver(look: Look, element: Element): boolean {
  const own = look.computed.get(element);
  if (!own) return true;
  const margins = ["margin", "margin-top", "margin-left"].map((name) => own.value(name));
  if (margins.some((said) => typeof said === "symbol" || /(?:^|[\s(])-\d/.test(said ?? "")))
    return true;
  const mine = areas.map((name) => own.value(name)).filter((said) => said !== undefined);
  const parent = parentOf(element);
  if (mine.length === 0 || !parent) return false;
  return parent.children.some((sibling) => {
    if (!isElement(sibling) || sibling === element) return false;
    const other = look.computed.get(sibling);
    const painted =
      isPicture(sibling) ||
      [...elementsBelow(sibling)].some(isPicture) ||
      (other?.background?.a ?? 1) > 0;
    return painted && other && areas.some((name) => other.value(name) !== undefined);
  });
}

/** Whether nothing in the page hides, from this kind of look, what is behind a text. */
function isBackdropSure(look: Look, element: Element): boolean {
  const chain: Element[] = [];
  for (const at of [element, ...ancestorsOf(element)]) {
    const own = look.computed.get(at);
    if (!own) return false;
    chain.push(at);
    if (own.background?.a === 1) break;
    if (isLaidOver(look, at)) return false;
  }
  return !isCrossed(look, chain);
}

function isSeen(look: Look, element: Element): boolean | null {
  const own = look.computed.get(element);
  if (!own || own.displayed === false || own.visible === false || own.size === 0) return false;
  let seen: boolean | null = own.displayed === null || own.visible === null ? null : true;
  for (const at of [element, ...ancestorsOf(element)]) {
    const style = look.computed.get(at);
    if (style?.opacity === 0) return false;
    if (style?.away) seen = style.position === "static" ? seen : false;
    if (style?.away && at === element) return false;
  }
  return seen;
}

/** 3 for large text (24 px, or 18.66 px and bold), else 4.5; null when that can't be told. */
function neededFor({ size, weight }: Computed, ratio: number): number | null {
  if (size !== null && size >= 24) return 3;
  if (size !== null && size < 18.66) return 4.5;
  if (size !== null && weight !== null) return weight >= 700 ? 3 : 4.5;
  return ratio < 3 ? 3 : ratio >= 4.5 ? 4.5 : null;
}

type Verdict = FaintText | "good" | "untold" | "unseen";

function judge(look: Look, element: Element, text: string): Verdict {
  const own = look.computed.get(element);
  if (!own || own.displayed === false || own.visible === false) return "unseen";
  const colors = colorsOf(own);
  if (!colors) return "untold";
  const ratio = contrastOf(colors.front, colors.back);
  const needed = neededFor(own, ratio);
  if (needed !== null && ratio >= needed) return "good";
  const seen = isSeen(look, element);
  if (seen === false) return "unseen";
  if (seen === null || needed === null || !isBackdropSure(look, element)) return "untold";
  return { element, text, ratio, needed, ...colors, viewing: look.viewing };
}

/** What has been computed for one way of looking; each element's is found below that around it. */
interface Memory {
  below: WeakMap<Computed, Map<string, Computed>>;
  roots: Map<string, Computed>;
  count: number;
}

/** So many computed styles are kept for a set of style sheets. */
const mostComputed = 20_000;

const allMemories = new WeakMap<PageStyles, Map<Viewing, Memory>>();

function memoriesOf(styles: PageStyles): Map<Viewing, Memory> {
  const known = allMemories.get(styles);
  if (known) return known;
  const fresh = new Map<Viewing, Memory>();
  allMemories.set(styles, fresh);
  return fresh;
}

function memoryOf(memories: Map<Viewing, Memory>, viewing: Viewing): Memory {
  const known = memories.get(viewing);
  if (known && known.count < mostComputed) return known;
  const fresh: Memory = { below: new WeakMap(), roots: new Map(), count: 0 };
  memories.set(viewing, fresh);
  return fresh;
}

function siblingsIn(memory: Memory, parent: Computed | null): Map<string, Computed> {
  if (!parent) return memory.roots;
  const known = memory.below.get(parent);
  if (known) return known;
  const fresh = new Map<string, Computed>();
  memory.below.set(parent, fresh);
  return fresh;
}

function lookAt(of: {
  page: Page;
  styles: PageStyles;
  matched: ReadonlyMap<Element, Matched>;
  viewing: Viewing;
  memory: Memory;
}): Look {
  const { page, styles, matched, viewing, memory } = of;
  const truths = mediaTruths(styles, viewing);
  const computed = new Map<Element, Computed>();
  const pageScheme = metaOf(page, "color-scheme") ?? "";
  let root: number | null = null;
  for (const element of page.elements) {
    const around = parentOf(element);
    const parent = (around && computed.get(around)) ?? null;
    const { own, signature } = matched.get(element) as Matched;
    const known = siblingsIn(memory, parent);
    const key = parent ? signature : `${pageScheme} ${signature}`;
    let found = known.get(key);
    if (!found) {
      const style = cascade(own, truths, element);
      found = compute({ style, parent, styles, viewing, root, pageScheme });
      known.set(key, found);
      memory.count++;
    }
    if (around === null) root = found.size;
    computed.set(element, found);
  }
  const { elements } = page;
  let overlays: Overlays | undefined;
  return {
    computed,
    overlays: () =>
      (overlays ??= findOverlays({ elements, computed, matched, truths, styles, viewing })),
    viewing,
  };
}

/** Viewings in which the same rules hold show the same colours; the narrow one has smaller text. */
function distinct(styles: PageStyles): Viewing[] {
  const seen = new Set<string>();
  return viewings.filter((viewing) => {
    const truths = [...mediaTruths(styles, viewing).values()].join();
    const key = `${viewing.scheme} ${truths}`;
    return !seen.has(key) && seen.add(key);
  });
}

class TooMuch extends Error {}

/**
 * Looks for text whose contrast is below what WCAG 2.2 asks (1.4.3), without a browser: by the
 * cascade of the page's style sheets, at rest, at two widths and in both colour schemes. What
 * can't be told (pictures behind, overlaps, unknown values) is not reported.
 */
export function findFaintText(page: Page, site: Site): ContrastReport {
  const nothing = { faint: [], told: 0, untold: 0 };
  const styles = stylesOf(page, site);
  if (styles.broken !== null) return { ...nothing, notChecked: styles.broken };
  try {
    return examine(page, styles);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return { ...nothing, notChecked: "its style sheets ask for too much" };
  }
}

function examine(page: Page, styles: PageStyles): ContrastReport {
  const report: ContrastReport = { faint: [], told: 0, untold: 0, notChecked: null };
  const memories = memoriesOf(styles);
  const until = spent() + patience;
  const onWork = () => {
    if (spent() > until) throw new TooMuch();
  };
  const matched = new Map<Element, Matched>();
  for (const [count, element] of page.elements.entries()) {
    if (count % 64 === 0) onWork();
    matched.set(element, matchElement(styles, element, onWork));
  }
  const texts = textElements(page);
  const worst = new Map<Element, FaintText>();
  for (const viewing of distinct(styles)) {
    onWork();
    const memory = memoryOf(memories, viewing);
    const way = lookAt({ page, styles, matched, viewing, memory });
    for (const [count, { element, text }] of texts.entries()) {
      if (count % 64 === 0) onWork();
      const verdict = judge(way, element, text);
      if (verdict === "untold") report.untold++;
      else if (verdict !== "unseen") report.told++;
      if (typeof verdict === "string") continue;
      const before = worst.get(element);
      if (!before || verdict.ratio < before.ratio) worst.set(element, verdict);
    }
  }
  report.faint = [...worst.values()];
  return report;
}
