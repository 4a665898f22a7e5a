import { defaultLimits } from "../../src/platform/config.ts";
import { reviewChange } from "../../src/features/tasks/review/review.ts";
import type { ReviewReason } from "../../src/features/tasks/schema.ts";
import type { ReviewCase } from "./case.ts";
import { baseUrl, type PreparedCase } from "./site.ts";

/** Why a person has to look at what a case has made; none: it goes live unattended. */
export function judge(_one: ReviewCase, prepared: PreparedCase): Promise<ReviewReason[]> {
  const { artifactDir, liveDir, files, report } = prepared;
  const { tasks: limits } = defaultLimits;
  return reviewChange({ artifactDir, liveDir, files, report, limits, baseUrl });
}
