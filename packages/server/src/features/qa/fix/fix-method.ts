import type { UsableModel } from "../../agent/model-choice.ts";
import type { FindingRow } from "../findings/store.ts";
import type { Assessment } from "../source/assess.ts";
import { needsVision, type RepairFacts } from "./repair.ts";

/** The abilities of the selected model, if known; null without one. */
export type FixModel = UsableModel;

/** Why a task can't fix a finding now. */
export type FixRefusal = "no_model" | "model_cannot_build" | "model_cannot_see";

/** How a task would fix a finding, and what prevents it. */
export interface FixMethod {
  /** `exact`: without a model. */
  kind: "exact" | "model";
  refusal: FixRefusal | null;
}

/** The message for each refusal. */
export const refusalMessages: Readonly<Record<FixRefusal, string>> = {
  no_model: "Fixing this needs a model, and none is set up.",
  model_cannot_build:
    "The model in use can't change the site: it has no key, or it can't call tools.",
  model_cannot_see: "Fixing this needs a model that can look at images, and the one in use can't.",
};

function refusalOf(row: RepairFacts, isExact: boolean, model: FixModel): FixRefusal | null {
  if (model !== null && !model.canBuild) return "model_cannot_build";
  if (isExact) return null;
  if (model === null) return "no_model";
  return needsVision(row) && !model.canSee ? "model_cannot_see" : null;
}

/** How a task would fix a finding with this model, or without one. */
export function fixMethod(
  row: RepairFacts,
  assessment: Assessment | undefined,
  model: FixModel,
): FixMethod {
  const isExact = (assessment?.repair ?? null) !== null;
  return { kind: isExact ? "exact" : "model", refusal: refusalOf(row, isExact, model) };
}

/**
 * Whether a fix would run unattended: its target is known and unambiguous, and it is exact or there
 * is a suitable model.
 */
export function isAutoFixable(
  row: RepairFacts & Pick<FindingRow, "is_safe" | "confidence" | "status">,
  assessment: Assessment | undefined,
  model: FixModel,
): boolean {
  if (row.status !== "open" || row.is_safe !== 1 || row.confidence !== "confirmed") return false;
  const { kind, refusal } = fixMethod(row, assessment, model);
  return refusal === null && (kind === "exact" || (assessment?.source ?? null) !== null);
}
