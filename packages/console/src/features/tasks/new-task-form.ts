import type { MediaItem, TaskKind } from "../../api/types.ts";
import type { KeyValueStorage } from "../../ui/storage.ts";
import type { FormDraft, FieldErrors } from "../shared/useForm.ts";

/** The most of each; the server looks again. */
export const limits = { title: 140, instruction: 8000, attachments: 10, page: 2000 } as const;

/** From here on, what is left of the instruction's room is said. */
export const countedFrom = 7000;

/** The project that a task is about, as far as the form tells it. */
export interface ChosenProject {
  id: number;
  name: string;
}

export interface NewTaskForm {
  instruction: string;
  title: string;
  kind: Exclude<TaskKind, "qa-fix">;
  project: ChosenProject | null;
  pageUrl: string;
  priority: "-1" | "0" | "1";
  attachments: MediaItem[];
}

export const emptyForm: NewTaskForm = {
  instruction: "",
  title: "",
  kind: "edit",
  project: null,
  pageUrl: "",
  priority: "0",
  attachments: [],
};

/** What the server calls the fields. */
export const fieldNames = [
  "instruction",
  "title",
  "kind",
  "projectId",
  "pageUrl",
  "priority",
  "attachments",
] as const;

/** What is wrong with a form before it is sent. */
export function validate(form: NewTaskForm): FieldErrors {
  const found: FieldErrors = {};
  const length = form.instruction.trim().length;
  if (length === 0) found["instruction"] = "say what is to be done";
  else if (length > limits.instruction) {
    const over = length - limits.instruction;
    found["instruction"] = `is ${over.toLocaleString("en")} characters too long`;
  }
  if (form.kind === "project" && form.project === null) {
    found["projectId"] = "choose the project";
  }
  const page = form.pageUrl.trim();
  if (page !== "" && !/^\/(?![/\\])[^\s\\]*$/u.test(page)) {
    found["pageUrl"] = "must begin with a slash, such as /about/";
  }
  return found;
}

/** What is sent; what is empty is left out. */
export function bodyOf(form: NewTaskForm): Record<string, unknown> {
  const title = form.title.trim();
  const pageUrl = form.pageUrl.trim();
  return {
    kind: form.kind,
    instruction: form.instruction,
    priority: Number(form.priority),
    ...(title !== "" && { title }),
    ...(pageUrl !== "" && { pageUrl }),
    ...(form.kind === "project" && form.project && { projectId: form.project.id }),
    ...(form.attachments.length > 0 && { attachments: form.attachments.map(({ id }) => id) }),
  };
}

/** The pictures after some more were given, and why not all of those go along. */
export function withImages(
  known: readonly MediaItem[],
  given: readonly MediaItem[],
): { images: MediaItem[]; refused: string | null } {
  const ids = new Set(known.map(({ id }) => id));
  const fresh = given.filter(({ id, kind }) => kind === "image" && !ids.has(id));
  const room = limits.attachments - known.length;
  const videos = given.some(({ kind }) => kind === "video");
  const refused =
    fresh.length > room
      ? `No more than ${limits.attachments} pictures go along.`
      : videos
        ? "Only pictures go along; films stay in the media library."
        : null;
  return { images: [...known, ...fresh.slice(0, Math.max(0, room))], refused };
}

const key = "new-task";

function isForm(value: unknown): value is NewTaskForm {
  const form = value as Partial<NewTaskForm> | null;
  return (
    typeof form === "object" &&
    form !== null &&
    typeof form.instruction === "string" &&
    typeof form.title === "string" &&
    typeof form.pageUrl === "string" &&
    (form.kind === "edit" || form.kind === "project") &&
    (form.project === null || typeof form.project?.id === "number") &&
    ["-1", "0", "1"].includes(String(form.priority)) &&
    Array.isArray(form.attachments)
  );
}

/** What is being written, kept in this browser until it is sent. */
export function makeDraft(memory: KeyValueStorage): FormDraft<NewTaskForm> {
  return {
    read() {
      try {
        const kept: unknown = JSON.parse(memory.get(key) ?? "null");
        return isForm(kept) ? kept : null;
      } catch {
        return null;
      }
    },
    write(form) {
      if (form === null) memory.remove(key);
      else memory.set(key, JSON.stringify(form));
    },
  };
}
