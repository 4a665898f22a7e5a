import type { RenderedPage } from "../checks/needs-script.ts";

/** The engine that reported it. */
export type A11yEngine = "axe" | "accesslint" | "vitrine";

/** One or several engines' result about an element and a rule. */
export interface A11yIssue {
  /**
   * Axe's name of the rule if it has one, otherwise the other engine's, such as `accesslint/rule`.
   */
  rule: string;
  /** IDs of failed W3C ACT rules. */
  act: readonly string[];
  engines: readonly A11yEngine[];
  /** `review`: a person has to check. */
  confidence: "confirmed" | "likely" | "review";
  impact: "critical" | "serious" | "moderate" | "minor";
  /** Success criteria, such as `1.4.3`. */
  wcag: readonly string[];
  message: string;
  helpUrl: string | null;
  /** For people and for fixing; may contain positions. */
  selector: string;
  /** For the fingerprint: only names and classes, as from `locate`. */
  locator: string;
  /** The element's markup, at most 300 characters. */
  html: string;
  /** Its text, at most 80 characters. */
  text: string;
  /** In a header, footer, or navigation shared by all pages. */
  shared?: boolean;
  /** In a frame: its selector is for that frame's document. */
  inFrame?: true;
  /** For contrast: the measured values. */
  contrast?: { front: string; back: string; ratio: number; needed: number };
}

export interface A11yResult {
  environment: "chromium" | "jsdom";
  /** Engines with versions, such as `axe-core 4.14.0`. */
  engines: readonly string[];
  issues: readonly A11yIssue[];
  /** What couldn't be checked here, such as contrast without a browser. */
  notChecked: readonly string[];
}

export interface Offender {
  selector: string;
  locator: string;
  /** In a header, footer, or navigation shared by pages. */
  shared: boolean;
}

/** A loaded file, by what requested it. */
export type Initiator = "parser" | "sheet" | "script" | "other";

/** A small screenshot of an element with some surroundings. */
export interface Crop {
  /** The element, as in findings. */
  selector: string;
  /** A data URL: WebP. */
  image: string;
  /** The size of the image, in pixels. */
  width: number;
  height: number;
  /** The element in the image, in percent of its size. */
  mark: { left: number; top: number; width: number; height: number };
}

/** A page as shown in a browser, at 1,440 by 900 pixels by default. */
export interface Visit {
  /** As in `Site`. */
  page: string;
  url: string;
  status: number | null;
  a11y: A11yResult;
  console: readonly {
    kind: "error" | "exception";
    text: string;
    /** The script that caused it; empty if unknown. */
    url: string;
    line: number | null;
    /** At most 1,000 characters. */
    stack: string | null;
  }[];
  failedRequests: readonly {
    url: string;
    status: number | null;
    /** The browser's error, such as `net::ERR_…`; null if there was a response. */
    error: string | null;
    kind: string;
    initiator: Initiator;
    /** Why the browser refused it, such as `cors`, `mixed-content`, `csp`. */
    blocked: string | null;
    /** Refused by our proxy, so it says nothing about the site. */
    refused: boolean;
  }[];
  /** Of enforced policies, not report-only ones. */
  violations: readonly { directive: string; blocked: string }[];
  requests: readonly {
    url: string;
    kind: string;
    /** The transferred bytes for a visitor with an empty cache. */
    wireBytes: number;
    status: number | null;
    initiator: Initiator;
    /** Requested unencrypted by an encrypted page. */
    mixed: "active" | "passive" | null;
    /** Requested only after scrolling. */
    late: boolean;
  }[];
  /** In ms; null if unknown. `shift` is a score without a unit. */
  paint: {
    first: number | null;
    largest: { ms: number; selector: string; url: string | null } | null;
    shift: number;
    blockedMs: number;
    /** How often it was measured; each value is the median. */
    runs: number;
    /** The machine was overloaded, so durations say nothing about the page. */
    busy?: true;
  };
  renderBlocking: readonly { url: string; ms: number; kind: "script" | "style" }[];
  /** At 320 and 375 px. */
  narrow: readonly {
    width: number;
    scrollWidth: number;
    clientWidth: number;
    /** `wide`: a table, image, video, map, or code, which may need two dimensions (WCAG 1.4.10). */
    offenders: readonly (Offender & { right: number; wide: boolean })[];
    /** Text that is cut off here but not on a wide screen. */
    clipped: readonly (Offender & { scrollHeight: number; clientHeight: number; text: string })[];
    /** A small screenshot of the overflow: a data URL of at most 48 KiB; null without one. */
    screenshot: string | null;
  }[];
  /** After its scripts; null if not all of them have run, or it wasn't checked. */
  rendered: RenderedPage | null;
  images: readonly (Offender & {
    url: string;
    natural: { width: number; height: number };
    /** The largest size at 1,440, 375, and 320 px. */
    rendered: { width: number; height: number };
    /** Its position on the wide screen when the page opens. */
    top: number;
    left: number;
    lazy: boolean;
    /** A vector image, whose natural size means nothing. */
    vector: boolean;
    wireBytes: number;
  })[];
  /** Smaller than 24 by 24 px without sufficient space around it (WCAG 2.5.8). */
  smallTargets: readonly (Offender & { width: number; height: number; text: string })[];
  focus: {
    /** The Tab order; at most 200. */
    sequence: readonly string[];
    /** Where Tab gets stuck; null if it doesn't. */
    stuck: Offender | null;
    /** Focusable elements that are invisible when focused. */
    unseen: readonly Offender[];
  };
  /** Screenshots of elements with issues, if they are wanted. */
  crops?: readonly Crop[];
  /** Checks that couldn't be made, as `id: why`. */
  notChecked: readonly string[];
}
