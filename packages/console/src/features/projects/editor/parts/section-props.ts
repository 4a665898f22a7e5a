import type { EditorState } from "../editor-types.ts";
import type { Dispatch } from "../useEditorState.ts";

/** What each part of the form works with. */
export interface SectionProps {
  state: EditorState;
  dispatch: Dispatch;
}
