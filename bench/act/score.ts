import { rules as accesslintRules } from "@accesslint/core";
import axe from "axe-core";
import type { RawIssue } from "../../packages/qa/src/a11y/raw.ts";
import type { A11yIssue } from "../../packages/qa/src/browser/visit.ts";

/** The ACT rules that the engines themselves map their rules to. */
const actOf = new Map<string, readonly string[]>([
  ...axe.getRules().map(({ ruleId, actIds }) => [ruleId, actIds ?? []] as const),
  ...accesslintRules.map(({ id, actRuleIds }) => [id, actRuleIds ?? []] as const),
]);

export interface CollectedIssues {
  issues: readonly A11yIssue[];
  /** The engines' issues without our changes. */
  raw: readonly RawIssue[];
  /** Whether the Tab key, Shift+Tab, and Escape can't leave a part of the page. */
  isTrap: boolean;
}

/** Whether another way out is described only people can tell: 80af7b and ebe86a aren't decided. */
const trapRule = "a1b64e";

/** A case in the index. */
export interface Case {
  file: string;
  rule: string;
  ruleName: string;
  approved: boolean;
  expected: "passed" | "failed" | "inapplicable";
}

const contenders = ["axe", "axe + accesslint", "ours"] as const;
type Contender = (typeof contenders)[number];

export interface Judged extends Case {
  /** Whether each contender reports that the rule fails. */
  reported: Record<Contender, boolean>;
  /** Whether ours asks a person about this rule, without a confirmed issue. */
  asks: boolean;
  /** Confirmed issues of this rule, then the others, to be read by people. */
  confirmed: string[];
  others: string[];
}

/** Each contender's result for a case: only confirmed findings of its rule count. */
export function judge(one: Case, looked: CollectedIssues | null): Judged {
  const issues = looked?.issues ?? [];
  const ours = issues.filter(({ act }) => act.includes(one.rule));
  const confirmed = ours.filter(({ confidence }) => confidence === "confirmed");
  const isTrap = looked?.isTrap === true && one.rule === trapRule;
  const raw = (engines: readonly string[]): boolean =>
    (looked?.raw ?? []).some(
      ({ engine, rule, review }) =>
        !review && engines.includes(engine) && (actOf.get(rule) ?? []).includes(one.rule),
    );
  return {
    ...one,
    reported: {
      axe: raw(["axe"]),
      "axe + accesslint": raw(["axe", "accesslint"]),
      ours: confirmed.length > 0 || isTrap,
    },
    asks: confirmed.length === 0 && ours.length > 0 && !isTrap,
    confirmed: confirmed.map(({ rule, engines }) => `${rule} (${engines.join("+")})`),
    others: issues
      .filter((issue) => !confirmed.includes(issue))
      .map(({ rule, confidence, engines }) => `${rule}:${confidence}:${engines.join("+")}`),
  };
}

interface Figures {
  failed: number;
  caught: number;
  clean: number;
  wrong: number;
}

function figuresOf(judged: readonly Judged[], who: Contender): Figures {
  const failed = judged.filter(({ expected }) => expected === "failed");
  const clean = judged.filter(({ expected }) => expected !== "failed");
  return {
    failed: failed.length,
    caught: failed.filter(({ reported }) => reported[who]).length,
    clean: clean.length,
    wrong: clean.filter(({ reported }) => reported[who]).length,
  };
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? "–" : `${((100 * part) / whole).toFixed(2)} %`;

const line = (judged: readonly Judged[], who: Contender): string => {
  const { failed, caught, clean, wrong } = figuresOf(judged, who);
  return `recall ${caught}/${failed} ${percent(caught, failed)}, false positives ${wrong}/${clean} ${percent(wrong, clean)}`;
};

const rulesPerFold = (judged: readonly Judged[], folds: number): Judged[][] => {
  const rules = [...new Set(judged.map(({ rule }) => rule))].toSorted();
  return Array.from({ length: folds }, (_, fold) =>
    judged.filter(({ rule }) => rules.indexOf(rule) % folds === fold),
  );
};

/** Prints each contender's figures for each fold of whole rules. */
function printFolds(judged: readonly Judged[], folds: number): void {
  for (const [index, fold] of rulesPerFold(judged, folds).entries()) {
    const approved = fold.filter((one) => one.approved);
    for (const who of contenders) {
      console.log(
        `fold ${index + 1}, ${who}: approved ${line(approved, who)}; all ${line(fold, who)}`,
      );
    }
  }
}

function printRules(judged: readonly Judged[]): void {
  const rules = Map.groupBy(
    judged,
    ({ rule, approved }) => `${approved ? "approved" : "proposed"} ${rule}`,
  );
  for (const [key, of] of [...rules].toSorted(([a], [b]) => a.localeCompare(b))) {
    const cells = contenders.map((who) => {
      const { failed, caught, clean, wrong } = figuresOf(of, who);
      return `${who} ${caught}/${failed} −${wrong}/${clean}`;
    });
    console.log(`${key}  ${cells.join("   ")}   ${of[0]?.ruleName}`);
  }
}

/** How many failed and clean cases ours asks a person about. */
const asked = (judged: readonly Judged[]): string => {
  const asks = judged.filter((one) => one.asks);
  const failed = asks.filter(({ expected }) => expected === "failed").length;
  return `asks about ${failed} more that fail and ${asks.length - failed} that don't`;
};

/**
 * Prints rules, folds, and totals; returns whether the targets are met: with the questions, recall
 * 95 % for approved rules and 65 % for all; false positives 0.3 % and 1 %.
 */
export function report(
  judged: readonly Judged[],
  { verbose, folds }: { verbose: boolean; folds: number },
): boolean {
  printRules(judged);
  if (folds > 1) printFolds(judged, folds);
  if (verbose) {
    for (const { reported, expected, approved, file, ruleName, confirmed, others } of judged) {
      if ((expected === "failed") === reported.ours) continue;
      const kind = expected === "failed" ? "missed" : "WRONG";
      console.log(
        `${kind} ${approved ? "approved" : "proposed"} ${file.slice(0, 15)} ${expected} ${ruleName}\n    ${confirmed.join(", ")} | ${others.join(", ")}`,
      );
    }
  }
  const approved = judged.filter((one) => one.approved);
  for (const who of contenders) {
    console.log(`${who}: approved rules ${line(approved, who)}; all rules ${line(judged, who)}`);
  }
  console.log(`ours ${asked(judged)}`);
  const meets = (of: readonly Judged[], recall: number, wrongs: number): boolean => {
    const { failed, caught, clean, wrong } = figuresOf(of, "ours");
    const told = caught + of.filter(({ asks, expected }) => asks && expected === "failed").length;
    return told >= recall * failed && wrong <= wrongs * clean;
  };
  return meets(approved, 0.95, 0.003) && meets(judged, 0.65, 0.01);
}
