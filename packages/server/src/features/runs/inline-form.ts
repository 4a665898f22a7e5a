import { inlineForm } from "../agent/inline.ts";
import type { ResolvedEdit } from "../agent/inline/inline-worker.ts";
import type { RunForm } from "./request-store.ts";

/** The input of an inline edit's form. */
export interface InlineInput {
  edits: ResolvedEdit[];
}

/** The edits of a form; empty if it is another form. */
export function inlineEditsOf(form: RunForm | null): readonly ResolvedEdit[] {
  return form?.name === inlineForm ? (form.input as InlineInput).edits : [];
}

/** The pages on which a run's edits were made. */
export function inlinePagesOf(form: RunForm | null): string[] {
  return [...new Set(inlineEditsOf(form).map(({ edit }) => edit.page))];
}
