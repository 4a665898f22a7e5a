import type { A11yIssue } from "../browser/visit.ts";

/** What one engine says of one element, before engines are put together. */
export interface RawIssue {
  engine: "axe" | "accesslint" | "vitrine";
  /** By the engine's own name. */
  rule: string;
  /** Which element of `elements`. */
  element: number;
  impact: A11yIssue["impact"] | null;
  message: string;
  /** The engine itself is not sure. */
  review: boolean;
  act?: readonly string[];
  contrast?: A11yIssue["contrast"];
}

export interface RawElement {
  selector: string;
  locator: string;
  html: string;
  text: string;
  /** In the head, foot or navigation that all pages share. */
  shared: boolean;
}

/** What `page-side/collect.js` answers. */
export interface Collected {
  elements: RawElement[];
  issues: RawIssue[];
  /** How long each engine took, in ms. */
  durationsMs: Record<string, number>;
  failures: string[];
}

export interface CollectOptions {
  /** Rules of axe that are not asked here, and those that are though it leaves them out itself. */
  axeOff: readonly string[];
  axeOn: readonly string[];
  accesslintOff: readonly string[];
  accesslintAaa: boolean;
  /** Rules of ours that are not asked here. */
  ownOff: readonly string[];
  /** Of axe's checks, by id: what they look for. */
  axeChecks: Readonly<Record<string, { options: object }>>;
  /** The check of contrast looks for 1.4.6, and both answers, 1.4.3 too, are read from it. */
  bothContrasts: boolean;
  /** A frame in a page: rules of whole pages do not hold. */
  inFrame: boolean;
}

/** A rule that the engines lack or have wrong. Each is a file of page-side/rules/. */
export interface OwnRule {
  /** The name of axe where axe asks the same, else a name of our own. */
  id: string;
  /** The rules of the W3C's ACT that it stands for. */
  act: readonly string[];
  wcag: readonly string[];
  impact: A11yIssue["impact"];
  message: string;
  /** Not asked where nothing is laid out. */
  needsLayout?: true;
  /**
   * Yields {element, message?, review?, rule?, act?} for each that fails, and "later" before it touches
   * the page. Runs inside the page with
   * the kit of page-side/kit.js: its text is taken there, so it may use nothing from around it.
   */
  run: (kit: never) => unknown;
}
