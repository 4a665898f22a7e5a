import { ancestorsOf, type Element } from "../page/dom.ts";
import type { Page } from "../page/page.ts";
import type { Site } from "../site/site.ts";
import { isBackdropSure } from "./backdrop.ts";
import { type Matched, matchElement, evaluateMedia } from "./cascade.ts";
import { type PageStyles, stylesOf } from "./page-styles.ts";
import { contrastOf, type Rgba } from "./color.ts";
import type { Computed } from "./computed.ts";
import { type ComputedPage, computePage, styleCachesOf, styleCacheOf } from "./compute-page.ts";
import type { Viewing } from "./media.ts";
import { colorsOf } from "./paint.ts";
import { textElements } from "./texts.ts";

/** Text with too little contrast to its background. */
export interface LowContrastText {
  element: Element;
  text: string;
  ratio: number;
  needed: number;
  front: Rgba;
  back: Rgba;
  viewing: Viewing;
}

/** The result for a page: texts with too little contrast, or why the page couldn't be analyzed. */
export interface ContrastReport {
  lowContrast: LowContrastText[];
  /** The number of texts that could be measured, and of those that couldn't. */
  measuredCount: number;
  unmeasuredCount: number;
  notChecked: string | null;
}

/** A phone and a desktop, each in both color schemes. */
export const viewings: readonly Viewing[] = [
  { width: 390, height: 844, scheme: "light" },
  { width: 390, height: 844, scheme: "dark" },
  { width: 1440, height: 900, scheme: "light" },
  { width: 1440, height: 900, scheme: "dark" },
];

/** The maximum CPU time for a page, in ms. */
const cpuBudgetMs = 2500;

function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function isVisible(computedPage: ComputedPage, element: Element): boolean | null {
  const own = computedPage.computed.get(element);
  if (!own || own.displayed === false || own.visible === false || own.size === 0) return false;
  let seen: boolean | null = own.displayed === null || own.visible === null ? null : true;
  for (const at of [element, ...ancestorsOf(element)]) {
    const style = computedPage.computed.get(at);
    if (style?.opacity === 0) return false;
    if (style?.isOffscreen) seen = style.position === "static" ? seen : false;
    if (style?.isOffscreen && at === element) return false;
  }
  return seen;
}

/** 3 for large text (24 px, or 18.66 px and bold), otherwise 4.5; null if the size is unknown. */
function neededFor({ size, weight }: Computed, ratio: number): number | null {
  if (size !== null && size >= 24) return 3;
  if (size !== null && size < 18.66) return 4.5;
  if (size !== null && weight !== null) return weight >= 700 ? 3 : 4.5;
  return ratio < 3 ? 3 : ratio >= 4.5 ? 4.5 : null;
}

type Verdict = LowContrastText | "good" | "untold" | "unseen";

function judge(computedPage: ComputedPage, element: Element, text: string): Verdict {
  const own = computedPage.computed.get(element);
  if (!own || own.displayed === false || own.visible === false) return "unseen";
  const colors = colorsOf(own);
  if (!colors) return "untold";
  const ratio = contrastOf(colors.front, colors.back);
  const needed = neededFor(own, ratio);
  if (needed !== null && ratio >= needed) return "good";
  const seen = isVisible(computedPage, element);
  if (seen === false) return "unseen";
  if (seen === null || needed === null || !isBackdropSure(computedPage, element)) return "untold";
  return { element, text, ratio, needed, ...colors, viewing: computedPage.viewing };
}

/** Viewings in which the same rules apply have the same colors; the narrow one has smaller text. */
function distinct(styles: PageStyles): Viewing[] {
  const seen = new Set<string>();
  return viewings.filter((viewing) => {
    const mediaMatches = [...evaluateMedia(styles, viewing).values()].join();
    const key = `${viewing.scheme} ${mediaMatches}`;
    return !seen.has(key) && seen.add(key);
  });
}

class TooMuch extends Error {}

/**
 * Finds text whose contrast is below WCAG 2.2, 1.4.3, without a browser: applies the page's style
 * sheets, in the initial state, at two widths and in both color schemes. What can't be determined
 * (background images, overlaps, unknown values) isn't reported.
 */
export function findLowContrastText(page: Page, site: Site): ContrastReport {
  const nothing = { lowContrast: [], measuredCount: 0, unmeasuredCount: 0 };
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
  const report: ContrastReport = {
    lowContrast: [],
    measuredCount: 0,
    unmeasuredCount: 0,
    notChecked: null,
  };
  const styleCaches = styleCachesOf(styles);
  const until = spent() + cpuBudgetMs;
  const onWork = () => {
    if (spent() > until) throw new TooMuch();
  };
  const matched = new Map<Element, Matched>();
  for (const [count, element] of page.elements.entries()) {
    if (count % 64 === 0) onWork();
    matched.set(element, matchElement(styles, element, onWork));
  }
  const texts = textElements(page);
  const worst = new Map<Element, LowContrastText>();
  for (const viewing of distinct(styles)) {
    onWork();
    const styleCache = styleCacheOf(styleCaches, viewing);
    const connection = computePage({ page, styles, matched, viewing, memory: styleCache });
    for (const [count, { element, text }] of texts.entries()) {
      if (count % 64 === 0) onWork();
      const verdict = judge(connection, element, text);
      if (verdict === "untold") report.unmeasuredCount++;
      else if (verdict !== "unseen") report.measuredCount++;
      if (typeof verdict === "string") continue;
      const before = worst.get(element);
      if (!before || verdict.ratio < before.ratio) worst.set(element, verdict);
    }
  }
  report.lowContrast = [...worst.values()];
  return report;
}
