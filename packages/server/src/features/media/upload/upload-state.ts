import { randomUUID } from "node:crypto";
import type { AppError } from "../../../kit/errors.ts";
import { failure } from "../../../kit/failure.ts";
import { parseJson } from "../../../kit/json.ts";
import { type Job, job as jobSchema } from "../schema.ts";
import type { UploadRow } from "./shared-upload-store.ts";

/** How the token begins with which an upload is stored that was received before anything was shared. */
export const adopter = "adopted ";
/** The same for one that had arrived completely: its client is done with it. */
const completeAdopter = `${adopter}complete `;

/** The job of an upload that isn't accepted. */
export function failedJob(id: string, error: unknown): Job {
  const result = failure(error as AppError).error;
  return { id, status: "failed", progress: null, media: null, created: null, error: result };
}

/** A new token of this kind. */
export const newAdopter = (isComplete: boolean) =>
  `${isComplete ? completeAdopter : adopter}${randomUUID()}`;

/** Whether everything has arrived, even if the node that has it is still storing it. */
export const hasArrived = ({ received, size, writer }: UploadRow) =>
  received === size || writer?.startsWith(completeAdopter) === true;

/** What is known of an upload everywhere. */
export function toJob(row: UploadRow): Job {
  const { id, size, received, held_until, result } = row;
  if (result !== null) return jobSchema.parse(parseJson(result));
  const empty = { id, media: null, created: null, error: null };
  if (!hasArrived(row)) return { ...empty, status: "receiving", progress: received / size };
  return { ...empty, status: held_until === null ? "waiting" : "working", progress: null };
}
