import type { A11yIssue } from "../../browser/visit.ts";
import type { BrowserCheck, Seen } from "../../check.ts";
import type { Evidence, Severity } from "../../finding.ts";

const severityOf: Readonly<Record<A11yIssue["impact"], Severity>> = {
  critical: "error",
  serious: "error",
  moderate: "warning",
  minor: "notice",
};

/** An alternative text can be written by who knows the page; the rest is a matter of design. */
const safe = new Set(["image-alt", "role-img-alt", "input-image-alt"]);

const contrasts = new Set(["color-contrast", "color-contrast-enhanced"]);

/** What tells elements of the same place apart: their words, or the file that they show. */
export function markOf({ text, html }: A11yIssue): string {
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

function seenOf(issue: A11yIssue): Seen {
  const { rule, locator, impact, wcag, message, contrast, selector, text } = issue;
  const severity = severityOf[impact];
  const common: Seen = {
    rule,
    message: text === "" ? message : `${message.replace(/\.$/, "")}: “${text}”.`,
    // A best practice is no barrier.
    severity: severity === "error" && wcag.length === 0 ? "warning" : severity,
    confidence: issue.confidence,
    safe: safe.has(rule),
    evidence: evidenceOf(issue),
    place: { selector, text },
  };
  if (!contrast) {
    return { ...common, at: `${locator} ${markOf(issue)}`.trim(), shared: issue.shared ?? false };
  }
  const pair = `${contrast.front} on ${contrast.back}`;
  return {
    ...common,
    at: pair,
    shared: true,
    cause: pair,
    severity: "notice",
    message: `The text “${text}” has a contrast of ${contrast.ratio} to 1 (${pair}): readers with weak eyes need ${contrast.needed}.`,
  };
}

/** What the engines are sure of, one rule of this check for each of theirs. */
export const a11yAxe: BrowserCheck = {
  id: "a11y.axe",
  category: "accessibility",
  severity: "error",
  *look({ a11y }) {
    const told = new Set<string>();
    for (const issue of a11y.issues) {
      if (issue.confidence === "review" || issue.rule === "color-contrast") continue;
      const seen = seenOf(issue);
      // A pair of colours is told once for a page.
      if (contrasts.has(issue.rule) && told.has(String(seen.at))) continue;
      told.add(String(seen.at));
      yield seen;
    }
  },
};
