import type { PageForm, PagesBody } from "../../../../server/src/features/pages/schema.ts";
import { type Content, isObject } from "./values.ts";

/** What was changed of one content file and isn't saved yet. */
export interface FileDraft {
  /** The hash of the file that the values were read from. */
  hash: string;
  /** The changed fields. */
  values: Content;
  /** What these fields were before. */
  before: Content;
  /** Whether the page that the file belongs to is to go. */
  isDeleted?: true;
}
export type Draft = Readonly<Record<string, FileDraft>>;

/** A draft, and what of it a run builds a preview of. */
export interface SentDraft {
  files: Draft;
  sent: { runId: string; files: Draft } | null;
}
export const noDraft: SentDraft = { files: {}, sent: null };

export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** What a field is now: as it was changed, else as the file has it. */
export function fieldValue({ file, content }: PageForm, draft: Draft, key: string): unknown {
  const changed = draft[file]?.values;
  return changed !== undefined && key in changed ? changed[key] : content[key];
}

/** The draft with this in the place of a file's; what changes nothing leaves it. */
export function withFile(draft: Draft, file: string, next: FileDraft | null): Draft {
  const { [file]: _, ...others } = draft;
  if (next === null || (Object.keys(next.values).length === 0 && !next.isDeleted)) return others;
  return { ...others, [file]: next };
}

/** The draft with another value of a field; one that is as the file has it is no change. */
export function withField(
  draft: Draft,
  form: PageForm,
  [key, value]: [key: string, value: unknown],
): Draft {
  const { file, hash, content } = form;
  const former = draft[file] ?? { hash, values: {}, before: {} };
  const { [key]: before = content[key] ?? null, ...beforeOthers } = former.before;
  const { [key]: _, ...others } = former.values;
  if (isSame(value, before)) {
    return withFile(draft, file, { ...former, values: others, before: beforeOthers });
  }
  return withFile(draft, file, {
    ...former,
    values: { ...others, [key]: value },
    before: { ...beforeOthers, [key]: before },
  });
}

/** What is sent of a draft to have it built. */
export function requestOf(draft: Draft): PagesBody {
  const files = Object.entries(draft);
  return {
    changes: files.flatMap(([file, { hash, values, isDeleted }]) =>
      isDeleted ? [] : [{ file, hash, values: JSON.stringify(values) }],
    ),
    deletions: files.flatMap(([file, { hash, isDeleted }]) => (isDeleted ? [{ file, hash }] : [])),
  };
}

function withoutSent(file: FileDraft, sent: FileDraft): FileDraft | null {
  if (file.isDeleted) return sent.isDeleted ? null : file;
  const left = Object.keys(file.values).filter(
    (key) => !(key in sent.values) || !isSame(file.values[key], sent.values[key]),
  );
  const pick = (from: Content): Content =>
    Object.fromEntries(left.map((key) => [key, from[key] ?? null]));
  return { ...file, values: pick(file.values), before: pick(file.before) };
}

/** What is left once the sent part has a preview: what was changed after it was sent. */
export function withPreview({ files, sent }: SentDraft): SentDraft {
  if (sent === null) return { files, sent };
  let left = files;
  for (const [file, part] of Object.entries(sent.files)) {
    const now = left[file];
    if (now) left = withFile(left, file, withoutSent(now, part));
  }
  return { files: left, sent: null };
}

/** A file that is another one by now than the draft was made from. */
export interface Stale {
  file: string;
  hash: string;
  content: Content;
}

/** The details of a refusal because of such a file; null for other details. */
export function readStale(details: unknown): Stale | null {
  if (!isObject(details) || !isObject(details["content"])) return null;
  const { file, hash, content } = details;
  return typeof file === "string" && typeof hash === "string" ? { file, hash, content } : null;
}

/** The fields that both the owner and somebody else have changed to different values. */
export function conflictsOf(draft: FileDraft, { content }: Stale): string[] {
  return Object.keys(draft.values).filter(
    (key) => !isSame(content[key], draft.before[key]) && !isSame(content[key], draft.values[key]),
  );
}

/** A new draft based on the file's current version, without the fields that keep that version's values. */
export function rebased(draft: FileDraft, stale: Stale, theirs: ReadonlySet<string>): FileDraft {
  const kept = Object.keys(draft.values).filter(
    (key) => !theirs.has(key) && !isSame(draft.values[key], stale.content[key]),
  );
  const pick = (from: Content): Content =>
    Object.fromEntries(kept.map((key) => [key, from[key] ?? null]));
  return {
    ...draft,
    hash: stale.hash,
    values: pick(draft.values),
    before: pick(stale.content),
  };
}

const isFileDraft = (value: unknown): value is FileDraft =>
  isObject(value) &&
  typeof value["hash"] === "string" &&
  isObject(value["values"]) &&
  isObject(value["before"]);

function readFiles(value: unknown): Draft {
  const files = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    files.filter((entry): entry is [string, FileDraft] => isFileDraft(entry[1])),
  );
}

/** A draft as the tab has stored it; what isn't one is left out. */
export function readDraft(value: unknown): SentDraft {
  if (!isObject(value)) return noDraft;
  const sent = value["sent"];
  const runId = isObject(sent) ? sent["runId"] : undefined;
  return {
    files: readFiles(value["files"]),
    sent:
      isObject(sent) && typeof runId === "string"
        ? { runId, files: readFiles(sent["files"]) }
        : null,
  };
}
