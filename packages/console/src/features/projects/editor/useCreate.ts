import { useRef, useState } from "react";

import type { ProjectDetail } from "../../../../../server/src/features/projects/schema.ts";
import { asApiError, type ApiError } from "../../../api/client.ts";
import { useAnnounce, useClient } from "../../../api/context.tsx";
import type { EditorState } from "./editor-types.ts";
import { type Attempt, type Errors, placeErrors, problemsTitle } from "./errors.ts";
import type { Values } from "./form.ts";
import type { Dispatch } from "./useEditorState.ts";

/** The address of a project's editor. */
export function editorAddress(id: number): string {
  return `/admin/projects/edit?id=${id}`;
}

/** The values of a new project; by default a draft. */
export type NewValues = Partial<Values> & { status?: "draft" | "published" };

export interface Create {
  busy: boolean;
  error: ApiError | null;
  other: readonly string[];
  refusals: number;
  /** What was requested when `refusals` last grew. */
  attempt: Attempt;
  /** Shows errors at their fields without asking the server. */
  refuse(errors: Errors, other: readonly string[], attempt: Attempt): void;
  /** Creates the project and returns it; null if it was refused. */
  create(values: NewValues): Promise<ProjectDetail | null>;
}

/** Creates a project from the form. */
export function useCreate(latest: () => EditorState, dispatch: Dispatch): Create {
  const client = useClient();
  const announce = useAnnounce();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const [other, setOther] = useState<readonly string[]>([]);
  const [refusals, setRefusals] = useState(0);
  const [attempt, setAttempt] = useState<Attempt>("create");
  const under = useRef(false);

  function refuse(errors: Errors, rest: readonly string[], asked: Attempt): void {
    setAttempt(asked);
    dispatch({ type: "errors", errors });
    setOther(rest);
    setRefusals((known) => known + 1);
    announce(`${problemsTitle(asked, Object.keys(errors).length + rest.length)}.`);
  }
  function fail(cause: unknown): void {
    const refusal = asApiError(cause);
    if (Object.keys(refusal.fields).length === 0) return setError(refusal);
    const placed = placeErrors(latest().form, refusal.fields);
    refuse(placed.errors, placed.other, "create");
  }
  return {
    busy,
    error,
    other,
    refusals,
    attempt,
    refuse,
    async create(values) {
      if (under.current) return null;
      under.current = true;
      setBusy(true);
      setError(null);
      setOther([]);
      try {
        return await client.post<ProjectDetail>("/api/adminprojects/create", values);
      } catch (cause) {
        fail(cause);
        under.current = false;
        setBusy(false);
        return null;
      }
    },
  };
}
