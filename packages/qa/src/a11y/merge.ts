import type { A11yIssue } from "../browser/visit.ts";
import type { Collected, RawIssue } from "./raw.ts";
import { rulebook, ruleName } from "./rulebook.ts";
import { uncertainAlone } from "./rule-trust.ts";

const impacts = ["minor", "moderate", "serious", "critical"] as const;

/** The combined confidence of the engines. */
function confidenceOf(rule: string, issues: readonly RawIssue[]): A11yIssue["confidence"] {
  const sure = issues.filter(({ review }) => !review).map(({ engine }) => engine);
  const isOurs = issues.some(({ engine }) => engine === "vitrine");
  // Our rules say why they only ask.
  if (isOurs) return sure.includes("vitrine") ? "confirmed" : "review";
  if (sure.includes("axe")) return "confirmed";
  // Without an ACT rule, it is a single engine's opinion.
  const isTested = (rulebook.get(rule)?.act.length ?? 0) > 0;
  return sure.length > 0 && isTested && !(rule in uncertainAlone) ? "confirmed" : "review";
}

const sentence = (text: string): string => {
  const trimmed = text.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}.`;
};

/**
 * What our rule says, else the rule's general sentence. If a person has to decide, also what the
 * engines couldn't tell.
 */
function messageOf(rule: string, help: string, issues: readonly RawIssue[]): string {
  const first = issues.find(({ engine, message }) => engine === "vitrine" && message !== "");
  if (first) return sentence(first.message);
  if (confidenceOf(rule, issues) !== "review") return sentence(help);
  const asked = issues.find(({ engine, review, message }) => engine === "axe" && review && message);
  const open = asked ? sentence(asked.message) : (uncertainAlone[rule] ?? "");
  return `${sentence(help)} ${open}`.trim();
}

function issueOf(rule: string, issues: readonly RawIssue[], collected: Collected): A11yIssue[] {
  const facts = rulebook.get(rule);
  const element = collected.elements[issues[0]?.element ?? -1];
  if (!facts || !element) return [];
  const impact =
    issues.find(({ engine, impact: known }) => engine !== "vitrine" && known !== null)?.impact ??
    issues[0]?.impact ??
    facts.impact;
  const contrast = issues.find((issue) => issue.contrast)?.contrast;
  return [
    {
      rule,
      act: issues.find((issue) => issue.act)?.act ?? facts.act,
      engines: [...new Set(issues.map(({ engine }) => engine))],
      confidence: confidenceOf(rule, issues),
      impact: impacts.includes(impact) ? impact : "moderate",
      wcag: facts.wcag,
      message: messageOf(rule, facts.help, issues),
      helpUrl: facts.helpUrl,
      ...element,
      ...(contrast && { contrast }),
    },
  ];
}

/** Merges the engines' results about the same element and rule. */
export function mergeIssues(collected: Collected): A11yIssue[] {
  const groups = new Map<string, { rule: string; issues: RawIssue[] }>();
  for (const issue of collected.issues) {
    const rule = ruleName(issue.rule);
    const key = `${rule} ${issue.element}`;
    const group = groups.get(key) ?? { rule, issues: [] };
    group.issues.push(issue);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ rule, issues }) => issueOf(rule, issues, collected));
}
