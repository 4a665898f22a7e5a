import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";

import type {
  ProjectDetail,
  ProjectStatus,
  StaleProject,
} from "../../../../../server/src/features/projects/schema.ts";
import { asApiError, type ApiError } from "../../../api/client.ts";
import { useAnnounce, useClient } from "../../../api/context.tsx";
import { rebuildKey } from "../../rebuild/RebuildBanner.tsx";
import { changesOf } from "./changes.ts";
import type { EditorState } from "./editor-types.ts";
import { type Errors, placeErrors, problemsTitle } from "./errors.ts";
import type { Form, Values } from "./form.ts";
import type { Dispatch } from "./useEditorState.ts";
import { check } from "./validate.ts";

export interface Saving {
  phase: "idle" | "saving" | "failed";
  /** Why the last save failed, unless the errors are at their fields. */
  error: ApiError | null;
  /** Errors that belong to no field. */
  other: readonly string[];
  /** The project doesn't exist any more. */
  gone: boolean;
  /** Increases each time a save finds errors in the form, so that the first one is shown. */
  refusals: number;
  /** Saves the changes, optionally with a status; resolves with whether everything is saved. */
  save(status?: ProjectStatus): Promise<boolean>;
  /** Changes only the status; unsaved changes stay. */
  changeStatus(status: ProjectStatus): Promise<boolean>;
}

const idle = { phase: "idle", error: null, other: [], gone: false } as const;
type Outcome = Pick<Saving, "phase" | "error" | "other" | "gone">;

/** The record that another save has left; fetched if it is too long for the error. */
async function findServerChanges(
  client: ReturnType<typeof useClient>,
  error: ApiError,
  id: number,
): Promise<ProjectDetail | null> {
  const details = error.details as StaleProject | null;
  if (error.code !== "stale_version" || details === null) return null;
  if (details.current !== null) return details.current;
  return client.get<ProjectDetail>("/api/adminprojects/get", { id }).catch(() => null);
}

function useRequest(latest: () => EditorState, dispatch: Dispatch) {
  const client = useClient();
  const queries = useQueryClient();
  return async function request(
    changes: Partial<Values>,
    status: ProjectStatus | undefined,
  ): Promise<void> {
    const { base } = latest();
    const response = await client.post<ProjectDetail>("/api/adminprojects/save", {
      id: base.id,
      version: base.version,
      ...changes,
      ...(status && { status }),
    });
    dispatch({ type: "saved", sent: changes, answer: response });
    void queries.invalidateQueries({ queryKey: rebuildKey });
  };
}

const statusLabels: Readonly<Record<ProjectStatus, string>> = {
  draft: "Saved. The project is a draft.",
  published: "Saved and published. The site updates in a moment.",
  archived: "Saved. The project is archived.",
};

function useOutcome(dispatch: Dispatch) {
  const client = useClient();
  const announce = useAnnounce();
  const [outcome, setOutcome] = useState<Outcome>(idle);
  const [refusals, setRefusals] = useState(0);

  function refuse(errors: Errors, other: readonly string[]): false {
    dispatch({ type: "errors", errors });
    setOutcome({ ...idle, phase: "failed", other });
    setRefusals((known) => known + 1);
    announce(`${problemsTitle("save", Object.keys(errors).length + other.length)}.`);
    return false;
  }
  async function fail(cause: unknown, sent: EditorState): Promise<false> {
    const error = asApiError(cause);
    const theirs = await findServerChanges(client, error, sent.base.id);
    if (theirs) {
      dispatch({ type: "conflict", theirs });
      setOutcome(idle);
      return false;
    }
    if (Object.keys(error.fields).length > 0) {
      const { errors, other } = placeErrors(sent.form, error.fields);
      return refuse(errors, other);
    }
    setOutcome({ ...idle, phase: "failed", error, gone: error.status === 404 });
    return false;
  }
  return {
    outcome,
    refusals,
    refuse,
    fail,
    start: () => setOutcome({ ...idle, phase: "saving" }),
    end(words: string) {
      setOutcome(idle);
      announce(words);
    },
  };
}

/** Errors in the fields to be saved, as the server would find them. */
function mistakes(form: Form, changes: Partial<Values>): Errors {
  const found = Object.entries(check(form));
  // Values saved under earlier limits don't block other changes.
  return Object.fromEntries(found.filter(([path]) => (path.split(".")[0] ?? "") in changes));
}

/** Saves the project, one request at a time, and handles all kinds of failure. */
export function useSaving(latest: () => EditorState, dispatch: Dispatch): Saving {
  const request = useRequest(latest, dispatch);
  const { outcome, refusals, refuse, fail, start, end } = useOutcome(dispatch);
  const busy = useRef(false);

  async function perform(changes: Partial<Values>, status?: ProjectStatus): Promise<boolean> {
    const sent = latest();
    if (busy.current || sent.conflict !== null) return false;
    busy.current = true;
    start();
    try {
      await request(changes, status);
      end(status ? statusLabels[status] : "Saved.");
      return true;
    } catch (cause) {
      return await fail(cause, sent);
    } finally {
      busy.current = false;
    }
  }
  async function save(status?: ProjectStatus): Promise<boolean> {
    const { base, form, conflict } = latest();
    if (busy.current || conflict !== null) return false;
    const changes = changesOf(base, form);
    const wrong = mistakes(form, changes);
    if (Object.keys(wrong).length > 0) return refuse(wrong, []);
    if (Object.keys(changes).length > 0 || status !== undefined) return perform(changes, status);
    end("Everything is already saved.");
    return true;
  }
  return { ...outcome, refusals, save, changeStatus: (status) => perform({}, status) };
}
