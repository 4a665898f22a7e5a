import { createRequire } from "node:module";
import { rules as accesslintRules, version as accesslintVersion } from "@accesslint/core";
import type { A11yIssue } from "../browser/visit.ts";
import { ownRules } from "./own-rules.ts";
import { actRules, axeNameOf } from "./rule-trust.ts";

/** A rule's metadata, independent of the engine. */
export interface RuleMetadata {
  act: readonly string[];
  wcag: readonly string[];
  impact: A11yIssue["impact"];
  help: string;
  helpUrl: string | null;
}

interface AxeMetadata {
  ruleId: string;
  help: string;
  helpUrl: string;
  tags: string[];
  actIds?: string[];
}

const axe = createRequire(import.meta.url)("axe-core") as {
  version: string;
  getRules(): AxeMetadata[];
};

/** The engines with their versions. */
export const engineNames: readonly string[] = [
  `axe-core ${axe.version}`,
  `accesslint ${accesslintVersion}`,
  "vitrine 3",
];

/** `wcag1412` is 1.4.12. */
const criterionOf = (tag: string): string[] => {
  const [, principle, guideline, criterion] = /^wcag(\d)(\d)(\d{1,2})$/.exec(tag) ?? [];
  return criterion === undefined ? [] : [`${principle}.${guideline}.${criterion}`];
};

const actPage = (id: string | undefined): string | null =>
  id === undefined ? null : `https://www.w3.org/WAI/standards-guidelines/act/rules/${id}/`;

function metadataOf(): Map<string, RuleMetadata> {
  const facts = new Map<string, RuleMetadata>();
  for (const { id, act, wcag, impact, message } of ownRules) {
    facts.set(id, { act, wcag, impact, help: message, helpUrl: actPage(act[0]) });
  }
  for (const { id, actRuleIds, wcag, description } of accesslintRules) {
    const name = ruleName(id);
    const act = actRules[name] ?? actRuleIds ?? [];
    if (facts.has(name)) continue;
    facts.set(name, { act, wcag, impact: "moderate", help: description, helpUrl: actPage(act[0]) });
  }
  for (const { ruleId, tags, actIds, help, helpUrl } of axe.getRules()) {
    const known = facts.get(ruleId);
    const own = ownRules.some(({ id }) => id === ruleId);
    facts.set(ruleId, {
      act: own ? (known?.act ?? []) : (actRules[ruleId] ?? actIds ?? []),
      wcag: tags.flatMap(criterionOf),
      impact: known?.impact ?? "moderate",
      help: own ? (known?.help ?? help) : help,
      helpUrl,
    });
  }
  return facts;
}

/** A rule's name, from accesslint's ID. */
export const ruleName = (id: string): string =>
  axeNameOf[id] ?? (id.includes("/") ? `accesslint/${id.split("/").at(-1)}` : id);

/** All rules of all engines, by name. */
export const rulebook: ReadonlyMap<string, RuleMetadata> = metadataOf();
