import type { ProjectDetail } from "../../../../src/features/projects/schema.ts";
import type { MediaItem } from "../types.ts";
import {
  afterSave,
  type Choice,
  type Choices,
  conflictsOf,
  givenUp,
  merge,
  withFields,
} from "./changes.ts";
import { draftFields, type KeptDraft } from "./drafts.ts";
import { type Errors, withoutErrors } from "./errors.ts";
import {
  type FieldName,
  type Form,
  type Metric,
  type SkillGroup,
  type Slot,
  type TextField,
  toForm,
  toValues,
  type Values,
} from "./form.ts";
import { change, indexOfKey, insert, moveTo, without } from "./keyed-list.ts";
import { slugOf } from "./slug.ts";

export interface EditorState {
  /** The record as the server has it, as far as known here. */
  base: ProjectDetail;
  form: Form;
  errors: Errors;
  /** The stored files that the gallery may name, by their address. */
  known: Readonly<Record<string, MediaItem>>;
  /** What somebody else saved meanwhile, until the owner has decided. */
  conflict: { theirs: ProjectDetail; choices: Choices } | null;
  /** What of mine the last decision gave up, so that it can be brought back. */
  aside: { values: Values; fields: FieldName[] } | null;
  /** The picture that was removed last, with its place. */
  removed: { slot: Slot; index: number } | null;
}

/** The lists whose items have keys of their own. */
type Lists = { skills: SkillGroup; metrics: Metric; gallery: Slot };
type ListName = keyof Lists;

type ListAction = {
  [L in ListName]:
    | { type: "add"; list: L; items: Lists[L][]; at?: number }
    | { type: "edit"; list: L; key: string; part: Partial<Lists[L]> };
}[ListName];

export type EditorAction =
  | { type: "text"; field: TextField; value: string }
  | { type: "followName" }
  | { type: "words"; field: "categories" | "stack"; words: string[] }
  | ListAction
  | { type: "remove"; list: ListName; key: string }
  | { type: "move"; list: ListName; key: string; to: number }
  | { type: "bringBackPicture" }
  | { type: "uploaded"; upload: string; media: MediaItem }
  | { type: "learn"; media: readonly MediaItem[] }
  | { type: "errors"; errors: Errors }
  | { type: "saved"; sent: Partial<Values>; answer: ProjectDetail }
  | { type: "conflict"; theirs: ProjectDetail }
  | { type: "choose"; fields: readonly FieldName[]; choice: Choice }
  | { type: "resolve" }
  | { type: "bringBackMine" }
  | { type: "forgetMine" }
  | { type: "takeDraft"; draft: KeptDraft }
  | { type: "open"; project: ProjectDetail };

const learn = (
  known: EditorState["known"],
  media: readonly MediaItem[],
): Readonly<Record<string, MediaItem>> => ({
  ...known,
  ...Object.fromEntries(media.map((item) => [item.src, item])),
});

/** The editor of a record that was just read. */
export function openEditor(project: ProjectDetail): EditorState {
  const follows = project.status !== "published" && project.slug === slugOf(project.name);
  return {
    base: project,
    form: toForm(project, follows),
    errors: {},
    known: learn({}, project.media),
    conflict: null,
    aside: null,
    removed: null,
  };
}

function changeList(form: Form, action: EditorAction): Form {
  if (action.type === "add") {
    const list: readonly unknown[] = form[action.list];
    return { ...form, [action.list]: insert(list, action.at ?? list.length, action.items) };
  }
  if (action.type === "edit")
    return {
      ...form,
      [action.list]: change<Slot | Metric | SkillGroup>(form[action.list], action.key, action.part),
    };
  if (action.type === "remove")
    return {
      ...form,
      [action.list]: without<Slot | Metric | SkillGroup>(form[action.list], action.key),
    };
  if (action.type === "move")
    return {
      ...form,
      [action.list]: moveTo<Slot | Metric | SkillGroup>(form[action.list], action.key, action.to),
    };
  return form;
}

function editPath(action: EditorAction): string | null {
  if (action.type === "text" || action.type === "words") return action.field;
  if (action.type === "remove") return `${action.list}.${action.key}`;
  return null;
}

/** The errors that an edit makes out of date. */
function errorsAfter(errors: Errors, action: EditorAction): Errors {
  if (action.type === "edit") {
    const at = `${action.list}.${action.key}`;
    return Object.keys(action.part).reduce(
      (left, part) => withoutErrors(left, `${at}.${part}`),
      errors,
    );
  }
  const path = editPath(action);
  return path === null ? errors : withoutErrors(errors, path);
}

function writeText(form: Form, field: TextField, value: string): Form {
  const next = { ...form, [field]: value };
  if (field === "slug") return { ...next, slugFollows: false };
  return field === "name" && form.slugFollows ? { ...next, slug: slugOf(value) } : next;
}

function reduceConflict(state: EditorState, action: EditorAction): EditorState {
  const { conflict } = state;
  if (action.type === "conflict") {
    const choices = conflict?.choices ?? {};
    return {
      ...state,
      conflict: { theirs: action.theirs, choices },
      known: learn(state.known, action.theirs.media),
    };
  }
  if (conflict === null) return state;
  if (action.type === "choose") {
    const chosen = Object.fromEntries(action.fields.map((field) => [field, action.choice]));
    return { ...state, conflict: { ...conflict, choices: { ...conflict.choices, ...chosen } } };
  }
  const fields = givenUp(state.base, state.form, conflict.theirs, conflict.choices);
  return {
    ...state,
    base: conflict.theirs,
    form: merge(state.base, state.form, conflict.theirs, conflict.choices),
    aside: fields.length > 0 ? { values: toValues(state.form), fields } : null,
    conflict: null,
    errors: {},
  };
}

function reduceGallery(state: EditorState, action: EditorAction): EditorState {
  const { form } = state;
  if (action.type === "uploaded") {
    const slot = form.gallery.find(({ upload }) => upload === action.upload);
    const known = learn(state.known, [action.media]);
    if (!slot) return { ...state, known };
    const alt = slot.alt === "" ? action.media.alt : slot.alt;
    const part = { src: action.media.src, alt, upload: null };
    const errors = withoutErrors(state.errors, `gallery.${slot.key}.src`);
    return {
      ...state,
      known,
      errors,
      form: { ...form, gallery: change(form.gallery, slot.key, part) },
    };
  }
  if (action.type === "bringBackPicture" && state.removed !== null) {
    const { slot, index } = state.removed;
    return {
      ...state,
      removed: null,
      form: { ...form, gallery: insert(form.gallery, index, [slot]) },
    };
  }
  return state;
}

/** Brings back a draft; where the record has changed since, the owner decides field by field. */
function takeDraft(state: EditorState, draft: KeptDraft): EditorState {
  const started = { ...state.base, ...draft.base, version: draft.version };
  const form = withFields(state.form, { ...state.base, ...draft.changes }, draftFields(draft));
  if (draft.version === state.base.version) return { ...state, form };
  const next: EditorState = { ...state, base: started, form };
  const open = conflictsOf(started, form, state.base).some(({ changedBy }) => changedBy === "both");
  return open ? { ...next, conflict: { theirs: state.base, choices: {} } } : { ...state, form };
}

function remove(state: EditorState, action: EditorAction & { type: "remove" }): EditorState {
  const form = changeList(state.form, action);
  const errors = errorsAfter(state.errors, action);
  if (action.list !== "gallery") return { ...state, form, errors };
  const index = indexOfKey(state.form.gallery, action.key);
  const slot = state.form.gallery[index];
  // A place without a file holds nothing that could be brought back.
  const kept = slot && slot.src !== null ? { slot: { ...slot, upload: null }, index } : null;
  return { ...state, form, errors, removed: kept ?? state.removed };
}

function formAfter(form: Form, action: EditorAction): Form {
  if (action.type === "text") return writeText(form, action.field, action.value);
  if (action.type === "words") return { ...form, [action.field]: action.words };
  if (action.type === "followName") return { ...form, slugFollows: true, slug: slugOf(form.name) };
  return changeList(form, action);
}

function saved(state: EditorState, sent: Partial<Values>, answer: ProjectDetail): EditorState {
  return {
    ...state,
    base: answer,
    form: afterSave(state.form, state.base, sent, answer),
    known: learn(state.known, answer.media),
    errors: {},
  };
}

function bringBackMine(state: EditorState): EditorState {
  if (state.aside === null) return state;
  const { values, fields } = state.aside;
  return { ...state, form: withFields(state.form, values, fields), aside: null };
}

/** The editor after an action; pure, so that every path of it can be tried without a screen. */
export function reduceEditor(state: EditorState, action: EditorAction): EditorState {
  switch (action.type) {
    case "remove":
      return remove(state, action);
    case "bringBackPicture":
    case "uploaded":
      return reduceGallery(state, action);
    case "learn":
      return { ...state, known: learn(state.known, action.media) };
    case "errors":
      return { ...state, errors: action.errors };
    case "saved":
      return saved(state, action.sent, action.answer);
    case "conflict":
    case "choose":
    case "resolve":
      return reduceConflict(state, action);
    case "bringBackMine":
      return bringBackMine(state);
    case "forgetMine":
      return { ...state, aside: null };
    case "takeDraft": {
      const known = learn(state.known, action.draft.media ?? []);
      return takeDraft({ ...state, known }, action.draft);
    }
    case "open":
      return openEditor(action.project);
    default: {
      const errors = errorsAfter(state.errors, action);
      return { ...state, form: formAfter(state.form, action), errors };
    }
  }
}
