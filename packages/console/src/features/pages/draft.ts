import type { PageForm } from "../../../../server/src/features/pages/schema.ts";
import { type Content, isObject } from "./values.ts";

/** What was changed of one content file and isn't saved yet. */
export interface FileDraft {
  /** The hash of the file that the values were read from. */
  hash: string;
  /** The changed fields. */
  values: Content;
  /** What these fields were before. */
  before: Content;
}
export type Draft = Readonly<Record<string, FileDraft>>;

export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** What a field is now: as it was changed, else as the file has it. */
export function fieldValue({ file, content }: PageForm, draft: Draft, key: string): unknown {
  const changed = draft[file]?.values;
  return changed !== undefined && key in changed ? changed[key] : content[key];
}

/** The draft with another file in it; one without any change leaves it. */
export function withFile(draft: Draft, file: string, next: FileDraft): Draft {
  const { [file]: _, ...others } = draft;
  return Object.keys(next.values).length === 0 ? others : { ...others, [file]: next };
}

/** The draft with another value of a field; one that is as the file has it is no change. */
export function withField(
  draft: Draft,
  form: PageForm,
  field: [key: string, value: unknown],
): Draft {
  const [key, value] = field;
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

const isFileDraft = (value: unknown): value is FileDraft =>
  isObject(value) &&
  typeof value["hash"] === "string" &&
  isObject(value["values"]) &&
  isObject(value["before"]);

/** A draft as the tab has stored it; what isn't one is left out. */
export function readDraft(value: unknown): Draft {
  if (!isObject(value)) return {};
  const files = Object.entries(value).filter((entry): entry is [string, FileDraft] =>
    isFileDraft(entry[1]),
  );
  return Object.fromEntries(files);
}
