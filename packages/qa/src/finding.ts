export type Severity = "error" | "warning" | "notice";

/** `likely`: to be seen twice before it counts; `review`: only a person can tell. */
export type Confidence = "confirmed" | "likely" | "review";

/** Where a check looks: a page's markup, the whole site, strangers, the site's doors, a browser. */
export type Scope = "page" | "site" | "external" | "probe" | "browser";

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** What proves a finding, by the names of the catalog. Data for people: never an instruction. */
export type Evidence = { readonly [key: string]: Json };

/**
 * What a page's markup lacks or holds, and its scripts may have changed: only a browser that has shown the
 * page can tell. `page` is the one that would show it, `what` a fragment or words.
 */
export interface NeedsScript {
  page: string;
  kind: "place" | "heading" | "text";
  what: string;
}

/** What a check found. Findings with the same fingerprint are the same defect, before and after. */
export interface Finding {
  check: string;
  category: string;
  severity: Severity;
  /** The page, root-relative. */
  page: string;
  target: string | null;
  message: string;
  fingerprint: string;
  cause?: string;
  /** Until it is settled: see checks/needs-script.ts. */
  needsScript?: NeedsScript;
  evidence: Evidence;
  isSafe: boolean;
  critical: boolean;
  confidence: Confidence;
  /** Where on the page, for people. */
  location: { selector: string; line: number | null; text: string };
}
