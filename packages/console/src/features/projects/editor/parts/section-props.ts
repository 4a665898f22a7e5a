import type { TextField } from "../form.ts";
import type { EditorState } from "../editor-types.ts";
import type { Dispatch } from "../useEditorState.ts";

/** What each part of the form works with. */
export interface SectionProps {
  state: EditorState;
  dispatch: Dispatch;
}

/** What the control of a text carries. */
export function bindText({ state, dispatch }: SectionProps, field: TextField) {
  return {
    name: field,
    error: state.errors[field],
    value: state.form[field],
    onChange: (value: string): void => dispatch({ type: "text", field, value }),
  };
}

/** What the control of a list of words carries. */
export function bindWords({ state, dispatch }: SectionProps, field: "categories" | "stack") {
  return {
    name: field,
    error: state.errors[field],
    values: state.form[field],
    onValues: (words: string[]): void => dispatch({ type: "words", field, words }),
  };
}
