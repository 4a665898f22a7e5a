import type { ReviewReason, Task } from "../../api/types.ts";

/** Why a task's change would publish private text; null where it would not. */
export function privateReasonOf({ review }: Pick<Task, "review">): ReviewReason | null {
  return review.find(({ kind }) => kind === "private") ?? null;
}

/** What goes along with the approval of a task whose private text the owner has confirmed. */
export function confirmationOf(task: Pick<Task, "review">): { confirmPrivate?: string } {
  const fingerprint = privateReasonOf(task)?.fingerprint;
  return fingerprint === undefined ? {} : { confirmPrivate: fingerprint };
}
