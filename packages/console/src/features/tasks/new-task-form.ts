import type { ModelView } from "../../../../server/src/features/agent/schema.ts";
import type { MediaItem } from "../../api/types.ts";
import type { KeyValueStorage } from "../../ui/storage.ts";
import type { FormDraft, FieldErrors } from "../forms/useForm.ts";

/** Limits, which the server checks, too. */
export const limits = { title: 140, instruction: 8000, attachments: 10, page: 2000 } as const;

/** From this length on, the remaining characters are shown. */
export const countedFrom = 7000;

/** The project that a task is about, as the form needs it. */
export interface ChosenProject {
  id: number;
  name: string;
}

export interface NewTaskForm {
  /** For a new case study, its brief. */
  instruction: string;
  title: string;
  /** `case-study` creates a project, so `project` doesn't apply. */
  kind: "edit" | "project" | "case-study";
  project: ChosenProject | null;
  /** The status of a new case study. */
  projectStatus: "draft" | "published";
  pageUrl: string;
  priority: "-1" | "0" | "1";
  attachments: MediaItem[];
}

export const emptyForm: NewTaskForm = {
  instruction: "",
  title: "",
  kind: "edit",
  project: null,
  projectStatus: "draft",
  pageUrl: "",
  priority: "0",
  attachments: [],
};

/** The server's names of the fields. */
export const fieldNames = [
  "instruction",
  "title",
  "kind",
  "projectId",
  "projectStatus",
  "pageUrl",
  "priority",
  "attachments",
] as const;

/** The errors in a form before it is sent; `model` is the selected one, if known. */
export function validate(form: NewTaskForm, model?: ModelView): FieldErrors {
  const found: FieldErrors = {};
  const length = form.instruction.trim().length;
  if (length === 0) {
    const isBrief = form.kind === "case-study";
    found["instruction"] = isBrief ? "enter a brief" : "describe the change";
  }
  if (length > limits.instruction) {
    const over = length - limits.instruction;
    found["instruction"] = `is ${over.toLocaleString("en")} characters over the limit`;
  }
  if (form.kind === "project" && form.project === null) {
    found["projectId"] = "choose a project";
  }
  if (form.kind === "case-study" && model !== undefined) {
    const refusal = caseStudyRefusal(model, form.attachments.length > 0);
    if (refusal !== null) found["projectStatus"] = refusal;
  }
  const page = form.kind === "case-study" ? "" : form.pageUrl.trim();
  if (page !== "" && !/^\/(?![/\\])[^\s\\]*$/u.test(page)) {
    found["pageUrl"] = "must start with a slash, such as /about/";
  }
  return found;
}

/** The request without empty fields. */
export function bodyOf(form: NewTaskForm): Record<string, unknown> {
  const title = form.title.trim();
  const isNew = form.kind === "case-study";
  // A new project has no page yet.
  const pageUrl = isNew ? "" : form.pageUrl.trim();
  return {
    kind: isNew ? "project" : form.kind,
    instruction: form.instruction,
    priority: Number(form.priority),
    ...(title !== "" && { title }),
    ...(pageUrl !== "" && { pageUrl }),
    ...(isNew && { projectStatus: form.projectStatus }),
    ...(form.kind === "project" && form.project && { projectId: form.project.id }),
    ...(form.attachments.length > 0 && { attachments: form.attachments.map(({ id }) => id) }),
  };
}

/** The images after adding some, and why not all could be added. */
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
      ? `You can attach up to ${limits.attachments} images.`
      : videos
        ? "Attach images only. Videos go to the media library."
        : null;
  return { images: [...known, ...fresh.slice(0, Math.max(0, room))], refused };
}

/** The images with one moved one place earlier. */
export function movedEarlier(images: readonly MediaItem[], { id }: MediaItem): MediaItem[] {
  const at = images.findIndex((image) => image.id === id);
  const moved = images[at];
  if (moved === undefined || at === 0) return [...images];
  const others = images.filter((image) => image.id !== id);
  return others.toSpliced(at - 1, 0, moved);
}

/** Why the selected model can’t create a case study, as a sentence; null if it can. */
export function caseStudyRefusal(model: ModelView, hasImages: boolean): string | null {
  const { provider, keySet, abilities } = model;
  if (provider === null) return "A new case study needs a model, and none is set up.";
  if (!keySet && provider !== "openai-compatible") return "The current model has no key.";
  if (abilities?.tools === false) return "The current model can’t call tools.";
  if (!hasImages || abilities?.images !== false) return null;
  return "The current model can’t see images. Choose one that can, or remove the images.";
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
    ["edit", "project", "case-study"].includes(String(form.kind)) &&
    ["draft", "published", "undefined"].includes(String(form.projectStatus)) &&
    (form.project === null || typeof form.project?.id === "number") &&
    ["-1", "0", "1"].includes(String(form.priority)) &&
    Array.isArray(form.attachments)
  );
}

/** The unsent form, stored in this browser. */
export function makeDraft(memory: KeyValueStorage): FormDraft<NewTaskForm> {
  return {
    read() {
      try {
        const kept: unknown = JSON.parse(memory.get(key) ?? "null");
        // Forms stored before case studies existed have no status.
        return isForm(kept) ? { ...emptyForm, ...kept } : null;
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
