import type { ReviewReason, Task } from "../../api/types.ts";

/** Why a task's change would publish private text; null if it wouldn't. */
export function privateReasonOf({ review }: Pick<Task, "review">): ReviewReason | null {
  return review.find(({ kind }) => kind === "private") ?? null;
}

/** The confirmation of private text sent with an approval. */
export function confirmationOf(task: Pick<Task, "review">): { confirmPrivate?: string } {
  const fingerprint = privateReasonOf(task)?.fingerprint;
  return fingerprint === undefined ? {} : { confirmPrivate: fingerprint };
}
