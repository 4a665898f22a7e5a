import type { A11yIssue } from "../browser/visit.ts";
import type { Collected, RawIssue } from "./raw.ts";
import { rulebook, ruleName } from "./rulebook.ts";
import { trustedRules } from "./rule-trust.ts";

const impacts = ["minor", "moderate", "serious", "critical"] as const;

/** How sure the engines are together. */
function confidenceOf(rule: string, said: readonly RawIssue[]): A11yIssue["confidence"] {
  const by = (engine: RawIssue["engine"]): RawIssue[] =>
    said.filter((issue) => issue.engine === engine);
  // Ours is written against the rule's text: where it speaks, its word stands.
  const own = by("vitrine");
  if (own.length > 0) return own.every(({ review }) => review) ? "review" : "confirmed";
  if (trustedRules.has(rule)) return "review";
  // Alone, accesslint is wrong too often: of parts that are hidden, of names, of colours.
  return by("axe").some(({ review }) => !review) ? "confirmed" : "review";
}

const sentence = (text: string): string => {
  const trimmed = text.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}.`;
};

/** The rule's own sentence, and what exactly was seen where an engine says more. */
function messageOf(help: string, said: readonly RawIssue[]): string {
  const first = said.find(({ engine, message }) => engine === "vitrine" && message !== "");
  if (first) return sentence(first.message);
  return sentence(help);
}

function issueOf(rule: string, said: readonly RawIssue[], collected: Collected): A11yIssue[] {
  const facts = rulebook.get(rule);
  const element = collected.elements[said[0]?.element ?? -1];
  if (!facts || !element) return [];
  const impact =
    said.find(({ engine, impact: known }) => engine !== "vitrine" && known !== null)?.impact ??
    said[0]?.impact ??
    facts.impact;
  const contrast = said.find((issue) => issue.contrast)?.contrast;
  return [
    {
      rule,
      act: said.find((issue) => issue.act)?.act ?? facts.act,
      engines: [...new Set(said.map(({ engine }) => engine))],
      confidence: confidenceOf(rule, said),
      impact: impacts.includes(impact) ? impact : "moderate",
      wcag: facts.wcag,
      message: messageOf(facts.help, said),
      helpUrl: facts.helpUrl,
      ...element,
      ...(contrast && { contrast }),
    },
  ];
}

/** Puts together what the engines say of the same element and the same rule. */
export function mergeIssues(collected: Collected): A11yIssue[] {
  const groups = new Map<string, { rule: string; said: RawIssue[] }>();
  for (const issue of collected.issues) {
    const rule = ruleName(issue.rule);
    const key = `${rule} ${issue.element}`;
    const group = groups.get(key) ?? { rule, said: [] };
    group.said.push(issue);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ rule, said }) => issueOf(rule, said, collected));
}
