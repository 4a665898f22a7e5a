import type { Db } from "../../platform/db/connect.ts";
import { writeProjectEntries } from "../changelog/project-entries.ts";
import type { ProjectWithBrief } from "./project.ts";

/** The fields that visitors see, with their names in the changelog. */
const shownFields = {
  name: "name",
  slug: "address",
  summary: "summary",
  lede: "introduction",
  body: "text",
  kind: "kind",
  period: "period",
  role: "role",
  categories: "categories",
  stack: "technologies",
  skills: "skills",
  metrics: "metrics",
  gallery: "images",
  reelUrl: "reel",
} as const satisfies Partial<Record<keyof ProjectWithBrief, string>>;

function changedFields(before: ProjectWithBrief | null, after: ProjectWithBrief | null): string[] {
  if (before === null || after === null) return [];
  return Object.entries(shownFields).flatMap(([field, label]) => {
    const key = field as keyof typeof shownFields;
    return JSON.stringify(before[key]) === JSON.stringify(after[key]) ? [] : [label];
  });
}

/**
 * A project before and after a change: null if it didn't exist before or doesn't exist any more.
 */
export interface ChangedProject {
  before: ProjectWithBrief | null;
  after: ProjectWithBrief | null;
}

/**
 * Writes the changelog entries for changes to projects, in the same transaction; see
 * `writeProjectEntries`. `at` is ISO 8601 UTC.
 */
export async function recordChanges(
  trx: Db,
  changes: readonly ChangedProject[],
  by: { at: string; actor: string },
): Promise<void> {
  const described = changes.map(({ before, after }) => ({
    before,
    after,
    fields: changedFields(before, after),
    ...by,
  }));
  await writeProjectEntries(trx, described);
}
