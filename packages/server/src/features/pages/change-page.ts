import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Jail } from "../agent/tools/jail.ts";
import { deletePage } from "./delete-page.ts";
import { editJson } from "./json-edit.ts";
import {
  type ChangedFile,
  type Content,
  type ContentFile,
  listPages,
  readContentFile,
  readPageFile,
  shareFile,
  siteFile,
} from "./page-files.ts";
import type { PageChange, PagesInput } from "./schema.ts";
import { findFaults, shapeOf } from "./shape.ts";
import { resolveShareImages } from "./share-images.ts";

/** Optional fields that a page may not have yet. */
function additionsFor(file: string): object[] {
  if (file === siteFile) return [{ hidden: [""] }];
  return file.endsWith("/services.json") ? [{ services: [{ hidden: true }] }] : [];
}

async function findHiddenFaults(
  jail: Jail,
  hidden: readonly unknown[],
  before: unknown,
): Promise<Record<string, string>> {
  const pages = await listPages(jail);
  const known = Array.isArray(before) ? before : [];
  const faults: Record<string, string> = {};
  for (const [index, path] of hidden.entries()) {
    if (known.includes(path)) continue;
    if (pages.some((page) => page.canHide && page.path === path)) continue;
    faults[`hidden.${index}`] = "isn’t a page that can be hidden";
  }
  return faults;
}

/** The files that changes apply to, and what the values can refer to. */
export interface PagesSite {
  db: Db;
  site: Jail;
  /** The template's content. */
  shipped: Jail;
}

/** The values to write, and their errors. */
async function checkValues(
  { db, site, shipped }: PagesSite,
  { file, values }: PageChange,
  before: Content,
): Promise<{ values: Content; faults: Record<string, string> }> {
  if (file === shareFile) return resolveShareImages({ db, site }, values, before);
  const sample = (await readContentFile(shipped, file))?.content ?? null;
  const faults = findFaults(values, shapeOf([before, sample, ...additionsFor(file)]));
  if (typeof values["title"] === "string" && values["title"].trim() === "") {
    faults["title"] = "can’t be empty";
  }
  const hidden = file === siteFile ? values["hidden"] : undefined;
  if (Array.isArray(hidden)) {
    Object.assign(faults, await findHiddenFaults(site, hidden, before["hidden"]));
  }
  return { values, faults };
}

/** Throws `stale_version`, with both versions, if the form was made from another one. */
function assertCurrent(found: ContentFile, hash: string, yours: Content | null): void {
  if (found.hash === hash) return;
  const { file, content } = found;
  throw new AppError(
    "stale_version",
    `${file} has changed since you opened it. Compare both versions, then save again.`,
    { details: { file, hash: found.hash, content: content ?? {}, yours } },
  );
}

async function changeFile(from: PagesSite, change: PageChange): Promise<ChangedFile> {
  const { file, hash, values } = change;
  const found = await readContentFile(from.site, file);
  if (!found?.content) {
    throw new AppError("not_found", `The site has no content file ${file} that a form can change.`);
  }
  assertCurrent(found, hash, values);
  const { values: written, faults } = await checkValues(from, change, found.content);
  if (Object.keys(faults).length > 0) {
    throw new AppError("validation_failed", "Some fields of the page can’t be saved.", {
      fields: Object.fromEntries(
        Object.entries(faults).map(([at, what]) => [`${file}:${at}`, what]),
      ),
    });
  }
  return { path: file, before: found.text, after: editJson(found.text, written) };
}

/**
 * The texts of the files with the changes in them and without the deleted pages; nothing is written.
 * Throws `stale_version` with both versions (`yours` is null for a page to be deleted),
 * `validation_failed` with fields such as `app/src/content/about.json:story.0`, and `not_found`.
 */
export async function changePages(
  from: PagesSite,
  { changes, deletions = [] }: PagesInput,
): Promise<ChangedFile[]> {
  const files = new Set([...changes, ...deletions].map(({ file }) => file));
  if (files.size < changes.length + deletions.length) {
    throw new AppError("validation_failed", "A page can be listed only once.");
  }
  const texts = new Map<string, ChangedFile>();
  for (const change of changes) {
    const next = await changeFile(from, change);
    if (next.before !== next.after) texts.set(next.path, next);
  }
  for (const { file, hash } of deletions) {
    const found = await readPageFile(from.site, file);
    if (found) assertCurrent(found, hash, null);
    await deletePage({ ...from, texts }, file);
  }
  return [...texts.values()];
}
