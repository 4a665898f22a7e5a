import type { ProjectDetail } from "../../../../../server/src/features/projects/schema.ts";
import type { MediaItem } from "../../../api/types.ts";
import { afterSave, conflictsOf, overriddenFields, merge, withFields } from "./changes.ts";
import { draftFields, type StoredDraft } from "./drafts.ts";
import type { EditorAction, EditorState } from "./editor-types.ts";
import { toValues, type Values } from "./form.ts";

/** The known stored files with more added. */
export const withMedia = (
  known: EditorState["known"],
  media: readonly MediaItem[],
): Readonly<Record<string, MediaItem>> => ({
  ...known,
  ...Object.fromEntries(media.map((item) => [item.src, item])),
});

/** Handles a save by somebody else. */
export function reduceConflict(state: EditorState, action: EditorAction): EditorState {
  const { conflict } = state;
  if (action.type === "conflict") {
    const choices = conflict?.choices ?? {};
    return {
      ...state,
      conflict: { theirs: action.theirs, choices },
      known: withMedia(state.known, action.theirs.media),
    };
  }
  if (conflict === null) return state;
  if (action.type === "choose") {
    const chosen = Object.fromEntries(action.fields.map((field) => [field, action.choice]));
    return { ...state, conflict: { ...conflict, choices: { ...conflict.choices, ...chosen } } };
  }
  const fields = overriddenFields(state.base, state.form, conflict.theirs, conflict.choices);
  return {
    ...state,
    base: conflict.theirs,
    form: merge(state.base, state.form, conflict.theirs, conflict.choices),
    aside: fields.length > 0 ? { values: toValues(state.form), fields } : null,
    conflict: null,
    errors: {},
  };
}

/** Restores a draft; if the record has changed since, the owner decides field by field. */
export function takeDraft(state: EditorState, draft: StoredDraft): EditorState {
  const started = { ...state.base, ...draft.base, version: draft.version };
  const form = withFields(state.form, { ...state.base, ...draft.changes }, draftFields(draft));
  if (draft.version === state.base.version) return { ...state, form };
  const next: EditorState = { ...state, base: started, form };
  const open = conflictsOf(started, form, state.base).some(({ changedBy }) => changedBy === "both");
  return open ? { ...next, conflict: { theirs: state.base, choices: {} } } : { ...state, form };
}

/** The editor after the server has saved `sent`. */
export function saved(
  state: EditorState,
  sent: Partial<Values>,
  response: ProjectDetail,
): EditorState {
  return {
    ...state,
    base: response,
    form: afterSave(state.form, state.base, sent, response),
    known: withMedia(state.known, response.media),
    errors: {},
  };
}

/** Restores what the last decision dropped. */
export function restoreMine(state: EditorState): EditorState {
  if (state.aside === null) return state;
  const { values, fields } = state.aside;
  return { ...state, form: withFields(state.form, values, fields), aside: null };
}
