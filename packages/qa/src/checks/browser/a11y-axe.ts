import type { A11yIssue } from "../../browser/visit.ts";
import type { BrowserCheck, PageReport } from "../../check.ts";
import type { Evidence, Severity } from "../../finding.ts";

const severityOf: Readonly<Record<A11yIssue["impact"], Severity>> = {
  critical: "error",
  serious: "error",
  moderate: "warning",
  minor: "notice",
};

/**
 * Someone who knows the page can write alt text; everything else is a design decision.
 */
const safe = new Set(["image-alt", "role-img-alt", "input-image-alt"]);

/**
 * The engines' rules that the markup checks report as well. A page that such a check has reported
 * isn't reported again. Markup checks don't see what only a script has added.
 */
export const reportedByMarkup: Readonly<Record<string, readonly string[]>> = {
  "document-title": ["seo.title-missing"],
  "duplicate-id": ["page.duplicate-id"],
  "duplicate-id-active": ["page.duplicate-id"],
  "duplicate-id-aria": ["page.duplicate-id"],
  "heading-order": ["a11y.heading-skip"],
  "html-has-lang": ["meta.lang"],
  "html-lang-valid": ["meta.lang"],
  "image-alt": ["img.alt-missing", "img.link-no-alt"],
  "link-purpose-alone": ["link.generic-text"],
  "link-name": ["link.no-text", "img.link-no-alt", "img.alt-missing"],
  "meta-viewport": ["meta.viewport"],
  "page-has-heading-one": ["seo.h1-missing"],
  "valid-lang": ["meta.lang"],
};

const contrasts = new Set(["color-contrast", "color-contrast-enhanced"]);

/** The HTML of a whole page doesn't show where it fails. */
const isWhole = (html: string): boolean => /^<(?:html|body)[\s>]/.test(html);

/** Tells elements at the same place apart by their text, or by the file that they show. */
export function markOf({ text, html }: A11yIssue): string {
  if (isWhole(html)) return "";
  if (text !== "") return text;
  const source = /\s(?:src|href|name)="([^"]*)"/.exec(html)?.[1] ?? "";
  return source.replace(/[._-][\w-]{8}(\.\w+)(?=[?#]|$)/, "$1");
}

export function evidenceOf(issue: A11yIssue): Evidence {
  const { rule, selector, html, wcag, engines, act, helpUrl, message, contrast } = issue;
  return {
    rule,
    selector,
    html,
    wcag: [...wcag],
    engines: [...engines],
    act: [...act],
    helpUrl,
    help: message,
    ...(contrast && {
      fg: contrast.front,
      bg: contrast.back,
      ratio: contrast.ratio,
      required: contrast.needed,
    }),
  };
}

/** How much of an element's text is kept, as in `A11yIssue`. */
const maxTextLength = 80;

/** Text in quotation marks; truncated text ends with a whole word. */
function quoted(text: string): string {
  return text.length < maxTextLength ? `“${text}”` : `“${text.replace(/\s+\S*$/, "")}…”`;
}

/** What a page says about itself: on each page, it is another defect. */
const ofEachPage = new Set(["document-title", "page-has-heading-one", "empty-heading"]);

/** Each element needs a text of its own. */
const ofEachElement = new Set([
  "image-alt",
  "role-img-alt",
  "svg-img-alt",
  "input-image-alt",
  "region",
]);

/** Whether the same place on another page has the same cause. */
const isSameOnPages = ({ rule, html }: A11yIssue): boolean =>
  !(isWhole(html) && ofEachPage.has(rule));

function reportOf(issue: A11yIssue): PageReport {
  const { rule, locator, impact, wcag, message, contrast, selector } = issue;
  const text = isWhole(issue.html) ? "" : issue.text;
  const severity = severityOf[impact];
  const common: PageReport = {
    rule,
    message: text === "" ? message : `${message.replace(/\.$/, "")}: ${quoted(text)}.`,
    // Best practices aren't barriers.
    severity: severity === "error" && wcag.length === 0 ? "warning" : severity,
    confidence: issue.confidence,
    safe: safe.has(rule),
    evidence: evidenceOf(issue),
    location: { selector, text },
  };
  if (!contrast) {
    const at = `${locator} ${markOf(issue)}`.trim();
    const shared = isSameOnPages(issue);
    if (isWhole(issue.html) || ofEachElement.has(rule)) return { ...common, at, shared };
    return { ...common, at: locator, formerAt: at, shared, byComponent: true };
  }
  const pair = `${contrast.front} on ${contrast.back}`;
  return {
    ...common,
    at: pair,
    shared: true,
    cause: pair,
    severity: "notice",
    message: `The text ${quoted(text)} has a contrast of ${contrast.ratio}:1 (${pair}); readers with low vision need ${contrast.needed}:1.`,
  };
}

const pairOf = ({ contrast }: A11yIssue): string =>
  contrast ? `${contrast.front} on ${contrast.back}` : "";

const namedByImage = new Set(["link-name", "button-name"]);

/**
 * Merges the issues that several rules report for the same defect into one that names all rules.
 */
function withoutDoubles(issues: readonly A11yIssue[]): A11yIssue[] {
  const sure = issues.filter(({ confidence }) => confidence !== "review");
  const rules = new Set(sure.map(({ rule }) => rule));
  const weak = new Set(sure.filter(({ rule }) => rule === "color-contrast").map(pairOf));
  const images = sure.filter(({ rule }) => rule === "image-alt");
  const around = (image: A11yIssue) => (issue: A11yIssue) =>
    namedByImage.has(issue.rule) && issue.html.includes(image.html);
  const nameless = new Set(images.flatMap((image) => sure.filter(around(image))));
  const whole = (issue: A11yIssue): A11yIssue => {
    if (issue.rule === "region") return { ...issue, locator: "", text: "", html: "" };
    if (issue.rule !== "image-alt") return issue;
    const also = sure.filter(around(issue)).flatMap(({ act }) => act);
    return { ...issue, act: [...new Set([...issue.act, ...also])] };
  };
  let outside = rules.has("landmark-one-main");
  return sure
    .filter((issue) => {
      if (issue.rule === "color-contrast-enhanced") return !weak.has(pairOf(issue));
      if (issue.rule !== "region") return issue.rule !== "color-contrast" && !nameless.has(issue);
      // Without a main landmark, everything is outside of it; otherwise the first place stands for
      // all of them.
      const isFirst = !outside;
      outside = true;
      return isFirst;
    })
    .map(whole);
}

/** What the engines are certain of: each engine rule becomes a rule of this check. */
export const a11yAxe: BrowserCheck = {
  id: "a11y.axe",
  category: "accessibility",
  severity: "error",
  *run({ a11y }) {
    const reported = new Set<string>();
    for (const issue of withoutDoubles(a11y.issues)) {
      const seen = reportOf(issue);
      // A pair of colors is reported once per page.
      if (contrasts.has(issue.rule) && reported.has(String(seen.at))) continue;
      reported.add(String(seen.at));
      yield seen;
    }
  },
};
