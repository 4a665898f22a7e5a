import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Project } from "../project.ts";
import { isSameValue, runFields, wholeProject } from "./change.ts";
import { listReservedFields } from "./store.ts";

/**
 * Call in the transaction that has written a project: throws `locked` if a publish is about to
 * write one of the same fields, or the site already shows a value that the record gets in a moment.
 * That takes seconds.
 * @param next null for a deleted project
 */
export async function assertNotReserved(
  db: Db,
  present: Project,
  next: Project | null,
): Promise<void> {
  const reserved = await listReservedFields(db, present.id);
  if (reserved.length === 0) return;
  const changed = runFields.filter(
    (field) => next === null || !isSameValue(present[field], next[field]),
  );
  const field = changed.find((one) => reserved.includes(one));
  if (field === undefined && !reserved.includes(wholeProject)) return;
  const message =
    next === null
      ? `A change to “${present.name}” is being published. Try again in a moment.`
      : `A run's change to the same part of “${present.name}” (${field ?? "all of it"}) is being published. Try again in a moment.`;
  throw new AppError("locked", message, { headers: { "retry-after": "2" } });
}
