import type { TextField } from "../form.ts";
import type { EditorState } from "../editor-types.ts";
import type { Dispatch } from "../useEditorState.ts";

/** The props of each section of the form. */
export interface SectionProps {
  state: EditorState;
  dispatch: Dispatch;
}

/** The props of a text's control. */
export function bindText({ state, dispatch }: SectionProps, field: TextField) {
  return {
    name: field,
    error: state.errors[field],
    value: state.form[field],
    onChange: (value: string): void => dispatch({ type: "text", field, value }),
  };
}

/** The props of a word list's control. */
export function bindWords({ state, dispatch }: SectionProps, field: "categories" | "stack") {
  return {
    name: field,
    error: state.errors[field],
    values: state.form[field],
    onValues: (words: string[]): void => dispatch({ type: "words", field, words }),
  };
}
