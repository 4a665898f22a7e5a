import type { Unattended } from "../../settings/queue-setting.ts";
import type { ReviewReason } from "../schema.ts";

const reviewEverything: ReviewReason = {
  kind: "setting",
  message: "Your settings ask for a review of every change.",
  items: [],
};

/** Reasons about the extent and looks of a change, not about what it could do to visitors. */
const acceptable: ReadonlySet<ReviewReason["kind"]> = new Set(["scope", "appearance"]);

/**
 * The reasons that hold back a change with this setting of the owner; without any, it goes live.
 */
export function applyUnattended(
  reasons: readonly ReviewReason[],
  unattended: Unattended,
): ReviewReason[] {
  if (unattended === "nothing") return [reviewEverything, ...reasons];
  if (unattended === "all") return reasons.filter(({ kind }) => !acceptable.has(kind));
  return [...reasons];
}
