import type { A11yIssue } from "../browser/visit.ts";

/** One engine's result about an element, before merging. */
export interface RawIssue {
  engine: "axe" | "accesslint" | "vitrine";
  /** The engine's own name for the rule. */
  rule: string;
  /** The index in `elements`. */
  element: number;
  impact: A11yIssue["impact"] | null;
  message: string;
  /** Whether the engine itself is uncertain. */
  review: boolean;
  act?: readonly string[];
  contrast?: A11yIssue["contrast"];
}

export interface RawElement {
  selector: string;
  locator: string;
  html: string;
  text: string;
  /** Whether it is in a header, footer, or navigation shared by all pages. */
  shared: boolean;
}

/** The result of `page-side/collect.js`. */
export interface Collected {
  elements: RawElement[];
  issues: RawIssue[];
  /** The duration of each engine, in ms. */
  durationsMs: Record<string, number>;
  failures: string[];
}

export interface CollectOptions {
  /**
   * Axe rules that are disabled, and ones that are enabled although axe disables them by default.
   */
  axeOff: readonly string[];
  axeOn: readonly string[];
  accesslintOff: readonly string[];
  accesslintAaa: boolean;
  /** Our own rules that are disabled. */
  ownOff: readonly string[];
  /** Options of axe's checks, by ID. */
  axeChecks: Readonly<Record<string, { options: object }>>;
  /** Whether the contrast check tests 1.4.6, from which both results, also 1.4.3, are derived. */
  bothContrasts: boolean;
  /** Whether failures are left out for which the engines are known to be wrong. */
  vetoes: boolean;
  /** Whether it is a frame, to which rules for whole pages don't apply. */
  inFrame: boolean;
}

/** A rule that the engines lack or get wrong. Each is a file in page-side/rules/. */
export interface OwnRule {
  /** Axe's name if axe has the same rule, otherwise our own. */
  id: string;
  /** The W3C's ACT rules that it implements. */
  act: readonly string[];
  wcag: readonly string[];
  impact: A11yIssue["impact"];
  message: string;
  /** Skipped without layout. */
  needsLayout?: true;
  /**
   * Yields {element, message?, review?, rule?, act?} for each failure, and "later" before it
   * changes the page. Runs inside the page with the helpers of page-side/kit.js: its source is
   * copied there, so it can't use anything outside the function.
   */
  run: (kit: never) => unknown;
}
