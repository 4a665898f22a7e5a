import { inlineForm } from "../agent/inline.ts";
import type { ResolvedEdit } from "../agent/inline/inline-worker.ts";
import type { RunForm } from "./request-store.ts";

/** What the form of such a run holds. */
export interface InlineInput {
  edits: ResolvedEdit[];
}

/** The edits of a form; none where it is another one. */
export function inlineEditsOf(form: RunForm | null): readonly ResolvedEdit[] {
  return form?.name === inlineForm ? (form.input as InlineInput).edits : [];
}

/** The pages that a run's edits were made on. */
export function inlinePagesOf(form: RunForm | null): string[] {
  return [...new Set(inlineEditsOf(form).map(({ edit }) => edit.page))];
}
