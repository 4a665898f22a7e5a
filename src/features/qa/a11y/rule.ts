import type { A11yIssue } from "../browser/visit.ts";

/** What a rule of ours says of an element. */
export interface Found {
  element: Element;
  message?: string;
  /** Only a person can tell. */
  review?: boolean;
  /** Where they differ from the rule's own. */
  rule?: string;
  act?: readonly string[];
}

/**
 * What rules ask of the page that they run in. Names, roles and visibility are those of axe, so
 * that all engines mean the same by them.
 */
export interface Kit {
  document: Document;
  /** Elements of the page and of its open shadow trees, in tree order. */
  all(selector: string): Element[];
  role(element: Element): string | null;
  /** The role that the author gave; null without. */
  explicitRole(element: Element): string | null;
  name(element: Element): string;
  /** What is to be seen in it as text. */
  visibleText(element: Element): string;
  /** On the screen, or where scrolling gets to. */
  shown(element: Element): boolean;
  /** In the accessibility tree. */
  exposed(element: Element): boolean;
  focusable(element: Element): boolean;
  inTabOrder(element: Element): boolean;
  parent(element: Element): Element | null;
  style(element: Element): CSSStyleDeclaration;
  /** The text nodes below that hold more than white space. */
  texts(element: Element): Text[];
  /** A lower-case form without punctuation, for comparing words. */
  plain(text: string): string;
}

/** A rule that the engines lack or have wrong. Each is a file of rules/. */
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
   * Runs inside the page: its text is taken there, so it may use nothing from around it.
   */
  look(kit: Kit): Iterable<Found>;
}
