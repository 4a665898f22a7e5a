import { tabStorage } from "../../ui/storage.ts";

/** A task that is being written. */
export interface TaskDraft {
  text: string;
  /** Whether it is about the page that the console stands on. */
  aboutPage: boolean;
  /** −1 later, 0 in its turn, 1 first. */
  priority: number;
  attachments: readonly number[];
}

export const emptyDraft: TaskDraft = { text: "", aboutPage: true, priority: 0, attachments: [] };

/** The most pictures of a task; the server's own bound. */
export const maxAttachments = 10;

const key = "task";

/** A draft as it was kept; what can't be read is none. */
export function parseDraft(kept: string | null): TaskDraft {
  let value: unknown;
  try {
    value = JSON.parse(kept ?? "null");
  } catch {
    return emptyDraft;
  }
  if (typeof value !== "object" || value === null) return emptyDraft;
  const { text, aboutPage, priority, attachments } = value as Record<string, unknown>;
  return {
    text: typeof text === "string" ? text : "",
    aboutPage: aboutPage !== false,
    priority: priority === 1 || priority === -1 ? priority : 0,
    attachments: Array.isArray(attachments)
      ? attachments.filter((id): id is number => Number.isInteger(id)).slice(0, maxAttachments)
      : [],
  };
}

/** The draft that this tab has kept. */
export function loadDraft(): TaskDraft {
  return parseDraft(tabStorage.get(key));
}

/** Keeps a draft over page loads; null when it was taken. */
export function saveDraft(draft: TaskDraft | null): void {
  if (draft === null) tabStorage.remove(key);
  else tabStorage.set(key, JSON.stringify(draft));
}
