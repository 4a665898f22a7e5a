import type { ProjectDetail } from "../../../../../server/src/features/projects/schema.ts";
import type { MediaItem } from "../../../api/types.ts";
import type { Choice, Choices } from "./changes.ts";
import type { StoredDraft } from "./drafts.ts";
import type { Errors } from "./errors.ts";
import type { FieldName, Form, ListItems, ListName, TextField, Values } from "./form.ts";

/** An item removed from a list, with its position. */
export interface Removed {
  list: ListName;
  item: ListItems[ListName];
  index: number;
}

export interface EditorState {
  /** The server's record, as last seen. */
  base: ProjectDetail;
  form: Form;
  errors: Errors;
  /** The stored files that the gallery may use, by address. */
  known: Readonly<Record<string, MediaItem>>;
  /** What somebody else has saved, until the owner decides. */
  conflict: { theirs: ProjectDetail; choices: Choices } | null;
  /** My values that the last decision dropped, so that they can be restored. */
  aside: { values: Values; fields: FieldName[] } | null;
  /** The list item removed last, with its position. */
  removed: Removed | null;
}

type ListAction = {
  [L in ListName]:
    | { type: "add"; list: L; items: ListItems[L][] }
    | { type: "edit"; list: L; key: string; part: Partial<ListItems[L]> };
}[ListName];

export type EditorAction =
  | { type: "text"; field: TextField; value: string }
  | { type: "followName" }
  | { type: "words"; field: "categories" | "stack"; words: string[] }
  | ListAction
  | { type: "remove"; list: ListName; key: string }
  | { type: "move"; list: ListName; key: string; to: number }
  | { type: "bringBack" }
  | { type: "uploaded"; upload: string; media: MediaItem }
  | { type: "learn"; media: readonly MediaItem[] }
  | { type: "errors"; errors: Errors }
  | { type: "saved"; sent: Partial<Values>; answer: ProjectDetail }
  | { type: "conflict"; theirs: ProjectDetail }
  | { type: "choose"; fields: readonly FieldName[]; choice: Choice }
  | { type: "resolve" }
  | { type: "bringBackMine" }
  | { type: "forgetMine" }
  | { type: "takeDraft"; draft: StoredDraft }
  /** Sets these values in the form; others stay. */
  | { type: "fill"; values: Partial<Values> }
  | { type: "open"; project: ProjectDetail };
