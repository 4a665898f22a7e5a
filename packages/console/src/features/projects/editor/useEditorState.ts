import { useCallback, useRef, useState } from "react";

import type { ProjectDetail } from "../../../../../server/src/features/projects/schema.ts";
import { openEditor, reduceEditor } from "./editor-state.ts";
import type { EditorAction, EditorState } from "./editor-types.ts";

export type Dispatch = (action: EditorAction) => void;

/** The editor's state; `latest` returns it after all actions so far, even between renders. */
export function useEditorState(project: ProjectDetail): {
  state: EditorState;
  latest(): EditorState;
  dispatch: Dispatch;
} {
  const [state, setState] = useState(() => openEditor(project));
  const current = useRef(state);
  const dispatch = useCallback((action: EditorAction) => {
    current.current = reduceEditor(current.current, action);
    setState(current.current);
  }, []);
  const latest = useCallback(() => current.current, []);
  return { state, latest, dispatch };
}
