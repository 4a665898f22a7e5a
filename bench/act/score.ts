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
}

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
  /** Confirmed issues of this rule, then the others, to be read by people. */
  confirmed: string[];
  others: string[];
}

/** Each contender's result for a case: only confirmed findings of its rule count. */
export function judge(one: Case, looked: CollectedIssues | null): Judged {
  const issues = looked?.issues ?? [];
  const ours = issues.filter(({ act }) => act.includes(one.rule));
  const confirmed = ours.filter(({ confidence }) => confidence === "confirmed");
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
      ours: confirmed.length > 0,
    },
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

/**
 * Prints rules and totals; returns whether the targets are met: recall 95 % and 60 %, false
 * positives 0.5 % and 1 %.
 */
export function report(judged: readonly Judged[], verbose: boolean): boolean {
  printRules(judged);
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
  const strict = figuresOf(approved, "ours");
  const all = figuresOf(judged, "ours");
  return (
    strict.caught >= 0.95 * strict.failed &&
    strict.wrong <= 0.005 * strict.clean &&
    all.caught >= 0.6 * all.failed &&
    all.wrong <= 0.01 * all.clean
  );
}
