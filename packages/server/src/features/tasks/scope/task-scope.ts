import { parseJson } from "../../../kit/json.ts";
import { renameKeys, renameKeysAt } from "../../../kit/renamed-keys.ts";
import { textBeforeData } from "../../agent/prompts/untrusted-data.ts";
import { taskScope, type TaskScope } from "../schema.ts";
import type { TaskRow } from "../store.ts";
import { deriveScope } from "./derive-scope.ts";

type TaskFacts = Pick<TaskRow, "kind" | "instruction" | "page_url" | "attachments">;

/**
 * What a task is about according to its row alone: narrower than what is known when it is queued.
 */
export function scopeOfTask({
  kind,
  instruction,
  page_url: pageUrl,
  attachments,
}: TaskFacts): TaskScope {
  const isFix = kind === "qa-fix";
  return deriveScope({
    kind,
    // What follows the owner's words is page content.
    instruction: isFix ? "" : textBeforeData(instruction),
    pageUrl,
    projectPath: null,
    hasAttachments: (parseJson(attachments) as number[]).length > 0,
    finding: isFix ? { check: "", pages: pageUrl === null ? [] : [pageUrl], targets: [] } : null,
  });
}

/** Keys of scopes stored by earlier versions. */
const oldKeys = {
  fewWords: "isMinorEdit",
  removals: "allowsRemovals",
  words: "keywords",
  wide: "allowsSeveralParts",
  given: "allowedFacts",
  said: "dictatedPieces",
  dictates: "isDictation",
  adds: "isAddition",
};

/** A stored scope; if it is missing or unreadable, the one derived from the task's row. */
export function readScope(row: TaskFacts, stored: string | undefined): TaskScope {
  if (stored === undefined) return scopeOfTask(row);
  const named = renameKeysAt(parseJson(stored), ["only"], { words: "misspelledWords" });
  const read = taskScope.safeParse(renameKeys(named, oldKeys));
  return read.success ? read.data : scopeOfTask(row);
}
