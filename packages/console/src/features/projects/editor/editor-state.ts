import type { ProjectDetail } from "../../../../../server/src/features/projects/schema.ts";
import { withFields } from "./changes.ts";
import type { EditorAction, EditorState } from "./editor-types.ts";
import { type Errors, withoutErrors } from "./errors.ts";
import {
  type Form,
  hasContent,
  type ListItems,
  type ListName,
  type Metric,
  type SkillGroup,
  type Slot,
  type TextField,
  toForm,
  toValues,
  type FieldName,
  type Values,
} from "./form.ts";
import { change, indexOfKey, insert, moveTo, newKey, without } from "./keyed-list.ts";
import { restoreMine, withMedia, reduceConflict, saved, takeDraft } from "./merge-changes.ts";
import { slugOf } from "./slug.ts";

/** The editor of a record that was just loaded. */
export function openEditor(project: ProjectDetail): EditorState {
  const follows = project.status !== "published" && project.slug === slugOf(project.name);
  return {
    base: project,
    form: toForm(project, follows),
    errors: {},
    known: withMedia({}, project.media),
    conflict: null,
    aside: null,
    removed: null,
  };
}

function changeList(form: Form, action: EditorAction): Form {
  if (action.type === "add") {
    const list: readonly unknown[] = form[action.list];
    return { ...form, [action.list]: [...list, ...action.items] };
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

/** The errors that an edit resolves. */
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

function uploaded(state: EditorState, action: EditorAction & { type: "uploaded" }): EditorState {
  const { form } = state;
  const slot = form.gallery.find(({ upload }) => upload === action.upload);
  const known = withMedia(state.known, [action.media]);
  if (!slot) return { ...state, known };
  const alt = slot.alt === "" ? action.media.alt : slot.alt;
  const part = { src: action.media.src, alt, upload: null };
  const errors = withoutErrors(state.errors, `gallery.${slot.key}.src`);
  const gallery = change(form.gallery, slot.key, part);
  return { ...state, known, errors, form: { ...form, gallery } };
}

/** The restorable part of a removed item: without its upload, with a new key. */
function keepable(item: ListItems[ListName]): ListItems[ListName] {
  const key = newKey();
  return "upload" in item ? { ...item, key, upload: null } : { ...item, key };
}

function remove(state: EditorState, action: EditorAction & { type: "remove" }): EditorState {
  const { list, key } = action;
  const items: readonly ListItems[ListName][] = state.form[list];
  const index = indexOfKey(items, key);
  const item = items[index];
  const kept = item && hasContent(item) ? { list, item: keepable(item), index } : null;
  return {
    ...state,
    form: changeList(state.form, action),
    errors: errorsAfter(state.errors, action),
    removed: kept ?? state.removed,
  };
}

function restoreItem(state: EditorState): EditorState {
  if (state.removed === null) return state;
  const { list, item, index } = state.removed;
  const items: readonly ListItems[ListName][] = state.form[list];
  return {
    ...state,
    removed: null,
    form: { ...state.form, [list]: insert(items, index, [item]) },
  };
}

function fill(state: EditorState, values: Partial<Values>): EditorState {
  const fields = Object.keys(values) as FieldName[];
  const form = withFields(state.form, { ...toValues(state.form), ...values }, fields);
  return { ...state, form, errors: fields.reduce(withoutErrors, state.errors) };
}

function formAfter(form: Form, action: EditorAction): Form {
  if (action.type === "text") return writeText(form, action.field, action.value);
  if (action.type === "words") return { ...form, [action.field]: action.words };
  if (action.type === "followName") return { ...form, slugFollows: true, slug: slugOf(form.name) };
  return changeList(form, action);
}

/** The editor's reducer; pure, so that it can be tested without rendering. */
export function reduceEditor(state: EditorState, action: EditorAction): EditorState {
  switch (action.type) {
    case "remove":
      return remove(state, action);
    case "bringBack":
      return restoreItem(state);
    case "uploaded":
      return uploaded(state, action);
    case "learn":
      return { ...state, known: withMedia(state.known, action.media) };
    case "errors":
      return { ...state, errors: action.errors };
    case "saved":
      return saved(state, action.sent, action.answer);
    case "conflict":
    case "choose":
    case "resolve":
      return reduceConflict(state, action);
    case "bringBackMine":
      return restoreMine(state);
    case "forgetMine":
      return { ...state, aside: null };
    case "takeDraft": {
      const known = withMedia(state.known, action.draft.media ?? []);
      return takeDraft({ ...state, known }, action.draft);
    }
    case "fill":
      return fill(state, action.values);
    case "open":
      return openEditor(action.project);
    default: {
      const errors = errorsAfter(state.errors, action);
      return { ...state, form: formAfter(state.form, action), errors };
    }
  }
}
