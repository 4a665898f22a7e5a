import type { RenderedPage } from "../checks/needs-script.ts";

/** Which tool said it. */
export type A11yEngine = "axe" | "accesslint" | "vitrine";

/** What one or several engines say of one element and one rule. */
export interface A11yIssue {
  /** The name of axe where axe has the rule, else the other engine's, as `accesslint/rule`. */
  rule: string;
  /** Rules of the W3C's ACT that it fails, by their ids. */
  act: readonly string[];
  engines: readonly A11yEngine[];
  /** `review`: a person has to look. */
  confidence: "confirmed" | "likely" | "review";
  impact: "critical" | "serious" | "moderate" | "minor";
  /** Success criteria, as `1.4.3`. */
  wcag: readonly string[];
  message: string;
  helpUrl: string | null;
  /** For people and for fixing: may have positions. */
  selector: string;
  /** For the fingerprint: names and classes only, as `locate` makes it. */
  locator: string;
  /** The element's markup, at most 300 characters. */
  html: string;
  /** The words in it, at most 80 characters. */
  text: string;
  /** In the head, foot or navigation that all pages share. */
  shared?: boolean;
  /** Of contrast: what was measured. */
  contrast?: { front: string; back: string; ratio: number; needed: number };
}

export interface A11yResult {
  environment: "chromium" | "jsdom";
  /** Engines with their versions, as `axe-core 4.14.0`. */
  engines: readonly string[];
  issues: readonly A11yIssue[];
  /** What could not be looked at here, such as contrast without a browser. */
  notChecked: readonly string[];
}

export interface Offender {
  selector: string;
  locator: string;
  /** In the head, foot or navigation that pages share. */
  shared: boolean;
}

/** A file that the page loads, by what asks for it. */
export type Initiator = "parser" | "sheet" | "script" | "other";

/** One page as a browser showed it, 1,440 by 900 pixels unless told. */
export interface Visit {
  /** As `Site` names it. */
  page: string;
  url: string;
  status: number | null;
  a11y: A11yResult;
  console: readonly {
    kind: "error" | "exception";
    text: string;
    /** The script that it comes from; empty when it is not known. */
    url: string;
    line: number | null;
    /** At most 1,000 characters. */
    stack: string | null;
  }[];
  failedRequests: readonly {
    url: string;
    status: number | null;
    /** The browser's word for it, as `net::ERR_…`; null where an answer came. */
    error: string | null;
    kind: string;
    initiator: Initiator;
    /** Why the browser itself refused it, as `cors`, `mixed-content`, `csp`. */
    blocked: string | null;
    /** We did not let it out: it says nothing of the site. */
    refused: boolean;
  }[];
  /** Of policies that are in force, not of those that are only tried. */
  violations: readonly { directive: string; blocked: string }[];
  requests: readonly {
    url: string;
    kind: string;
    /** As it goes over the wire to somebody who has nothing yet. */
    wireBytes: number;
    status: number | null;
    initiator: Initiator;
    /** Asked for unencrypted by an encrypted page. */
    mixed: "active" | "passive" | null;
    /** Asked for only when the page was scrolled. */
    late: boolean;
  }[];
  /** In ms; null where it was not seen. `shift` is a score without unit. */
  paint: {
    first: number | null;
    largest: { ms: number; selector: string; url: string | null } | null;
    shift: number;
    blockedMs: number;
    /** How often it was measured; each figure is the median. */
    runs: number;
    /** The machine had too much else to do: what takes how long says nothing of the page. */
    busy?: true;
  };
  renderBlocking: readonly { url: string; ms: number; kind: "script" | "style" }[];
  /** At 320 and 375 px. */
  narrow: readonly {
    width: number;
    scrollWidth: number;
    clientWidth: number;
    /** `wide`: a table, image, video, map or code, which may need two dimensions (WCAG 1.4.10). */
    offenders: readonly (Offender & { right: number; wide: boolean })[];
    /** Text that is cut here and not on a wide screen. */
    clipped: readonly (Offender & { scrollHeight: number; clientHeight: number; text: string })[];
    /** A small image of what sticks out: a data: address of at most 48 KiB; null without. */
    screenshot: string | null;
  }[];
  /** After its scripts; null where not all of them have run, or nobody has looked. */
  rendered: RenderedPage | null;
  images: readonly (Offender & {
    url: string;
    natural: { width: number; height: number };
    /** The largest at 1,440, 375 and 320 px. */
    rendered: { width: number; height: number };
    /** Where it is on the wide screen as the page opens. */
    top: number;
    left: number;
    lazy: boolean;
    /** Drawn from shapes: its natural size means nothing. */
    vector: boolean;
    wireBytes: number;
  })[];
  /** Smaller than 24 by 24 px and without the room that makes up for it (WCAG 2.5.8). */
  smallTargets: readonly (Offender & { width: number; height: number; text: string })[];
  focus: {
    /** Where Tab leads, in order; at most 200. */
    sequence: readonly string[];
    /** Where Tab does not lead on; null when it does. */
    stuck: Offender | null;
    /** Elements that the keyboard reaches and that nobody sees then. */
    unseen: readonly Offender[];
  };
  /** Checks that could not be made, as `id: why`. */
  notChecked: readonly string[];
}
