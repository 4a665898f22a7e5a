export type Severity = "error" | "warning" | "notice";

/** `likely`: has to be seen twice before it counts; `review`: needs a person's judgment. */
export type Confidence = "confirmed" | "likely" | "review";

/**
 * What a check examines: a page's markup, the whole site, external links, private addresses and
 * forms, a browser.
 */
export type Scope = "page" | "site" | "external" | "probe" | "browser";

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** Proof of a finding, under the names of the catalog. Data for people, never an instruction. */
export type Evidence = { readonly [key: string]: Json };

/**
 * Something in a page's markup that its scripts may change: only a browser that has opened the page
 * can tell. `page` is that page, `what` a fragment or words.
 */
export interface NeedsScript {
  page: string;
  kind: "place" | "heading" | "text";
  what: string;
}

/** A check's finding. Findings with the same fingerprint are the same defect across runs. */
export interface Finding {
  check: string;
  category: string;
  severity: Severity;
  /** The page, root-relative. */
  page: string;
  target: string | null;
  message: string;
  fingerprint: string;
  /** Identifies the defect on this page only, unless all pages share the place. */
  placeFingerprint: string;
  /** Fingerprints that earlier versions gave to the same defect. */
  formerly?: readonly string[];
  /** All elements that are written like this one have the same fingerprint. */
  isOfComponent?: true;
  cause?: string;
  /** Until it is settled; see checks/needs-script.ts. */
  needsScript?: NeedsScript;
  evidence: Evidence;
  isSafe: boolean;
  critical: boolean;
  confidence: Confidence;
  /** The place on the page, for people. */
  location: { selector: string; line: number | null; text: string };
}
