import type { A11yIssue } from "../browser/visit.ts";
import type { Collected, RawIssue } from "./raw.ts";
import { rulebook, ruleName } from "./rulebook.ts";
import { certainAlone, nameRules, unseenByAccesslint } from "./rule-trust.ts";

const impacts = ["minor", "moderate", "serious", "critical"] as const;

/** The combined confidence of the engines. */
function confidenceOf(rule: string, issues: readonly RawIssue[]): A11yIssue["confidence"] {
  const sure = issues.filter(({ review }) => !review).map(({ engine }) => engine);
  const isOurs = issues.some(({ engine }) => engine === "vitrine");
  // Our rules say why they only ask.
  if (isOurs) return sure.includes("vitrine") ? "confirmed" : "review";
  if (sure.includes("axe")) return "confirmed";
  return sure.length > 0 && certainAlone.has(rule) ? "confirmed" : "review";
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
  const unseen = unseenByAccesslint[rule] ?? "Only accesslint reports it.";
  const isAlone = issues.every(({ engine }) => engine === "accesslint");
  const open = asked ? sentence(asked.message) : isAlone ? unseen : "";
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

/** Which of several rules for one defect names it: ours, else the one that is certain. */
function namingRule(issues: readonly RawIssue[]): string {
  const known =
    issues.find(({ engine }) => engine === "vitrine") ??
    issues.find(({ engine, review }) => engine === "axe" && !review) ??
    issues.find(({ engine }) => engine === "axe") ??
    issues[0];
  return ruleName(known?.rule ?? "");
}

/** Rules whose failure makes another one of the same element redundant. */
const swallows: ReadonlyMap<string, string> = new Map([
  ["presentation-role-conflict", "aria-allowed-role"],
  ["image-alt", "aria-allowed-role"],
]);

/** Merges the engines' results about the same element and defect. */
export function mergeIssues(collected: Collected): A11yIssue[] {
  const groups = new Map<string, RawIssue[]>();
  for (const issue of collected.issues) {
    const rule = ruleName(issue.rule);
    const key = `${nameRules.has(rule) ? "name" : rule} ${issue.element}`;
    groups.set(key, [...(groups.get(key) ?? []), issue]);
  }
  const merged = [...groups.values()].map((issues) => ({ issues, rule: namingRule(issues) }));
  const swallowed = new Set(
    merged
      .filter(({ rule, issues }) => confidenceOf(rule, issues) === "confirmed")
      .map(({ rule, issues }) => `${swallows.get(rule)} ${issues[0]?.element}`),
  );
  return merged
    .filter(({ rule, issues }) => !swallowed.has(`${rule} ${issues[0]?.element}`))
    .flatMap(({ rule, issues }) => issueOf(rule, issues, collected));
}
