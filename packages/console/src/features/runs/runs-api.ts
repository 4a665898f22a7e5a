import { useMemo } from "react";

import type { Client } from "../../api/client.ts";
import { useClient } from "../../api/context.tsx";
import type {
  InstructionContext,
  Blame,
  Estimate,
  FileDiff,
  Mode,
  NewRun,
  Page,
  Run,
  RunMessage,
} from "../../api/types.ts";

export interface PublishRunOptions {
  /** The fingerprint of a `private_text` error, to publish anyway. */
  confirmPrivate?: string;
  /** Whether the public changelog mentions it; by default as in the preview. */
  mentionInChangelog?: boolean;
}

/** Requests about runs. Each rejects with an ApiError. */
export interface RunsApi {
  listRuns(page: number, perPage: number): Promise<Page<Run>>;
  getRun(id: string): Promise<Run>;
  start(run: NewRun): Promise<string>;
  /** Sends a message to a working run; it is read after the current step. */
  sendMessage(id: string, text: string, context?: InstructionContext): Promise<RunMessage>;
  /** Withdraws an unread message. */
  withdrawMessage(messageId: number): Promise<void>;
  /** Estimates a run from previous ones. */
  estimate(mode: Mode): Promise<Estimate>;
  /** Who last changed a line of the site's source; with a run, in its preview. */
  blame(file: string, line: number, runId?: string): Promise<Blame>;
  /** A run's changes with patches. */
  diff(id: string): Promise<FileDiff[]>;
  publish(id: string, options?: PublishRunOptions): Promise<Run>;
  discard(id: string): Promise<Run>;
  cancel(id: string): Promise<Run>;
  /** Continues from where the run stopped, if possible and not `fresh`. */
  retry(id: string, fresh?: boolean): Promise<string>;
  /** Repeats the instruction on the current site. */
  reapply(id: string): Promise<string>;
  restore(id: string, mode: "undo" | "version"): Promise<string>;
  /** Opens the run's event stream after the event `lastEventId`. */
  stream(id: string, lastEventId: string, signal: AbortSignal): Promise<Response>;
}

const base = "/devconsole";

/** The runner's API for the browser, through the gate on the site's own origin. */
export function makeRunsApi({ get, post, open }: Client): RunsApi {
  const start = async (path: string, body: object): Promise<string> =>
    (await post<{ runId: string }>(base + path, body)).runId;
  const at = (id: string): string => encodeURIComponent(id);
  return {
    listRuns: (page, perPage) => get(`${base}/runs`, { page, perPage }),
    getRun: (id) => get(`${base}/runs/${at(id)}`),
    start: (run) => start("/run", run),
    sendMessage: (id, text, context = {}) =>
      post(`${base}/message`, { runId: id, text, ...context }),
    withdrawMessage: async (messageId) =>
      void (await post(`${base}/message/withdraw`, { messageId })),
    estimate: (mode) => get(`${base}/estimate`, { mode }),
    blame: (file, line, runId) => get(`${base}/blame`, { file, line, runId }),
    diff: async (id) => (await get<{ files: FileDiff[] }>(`${base}/runs/${at(id)}/diff`)).files,
    publish: (id, options = {}) => post(`${base}/publish`, { runId: id, ...options }),
    discard: (id) => post(`${base}/discard`, { runId: id }),
    cancel: (id) => post(`${base}/cancel`, { runId: id }),
    retry: (id, fresh = false) => start("/retry", { runId: id, fresh }),
    reapply: (id) => start("/reapply", { runId: id }),
    restore: (id, mode) => start("/restore", { runId: id, mode }),
    stream: (id, lastEventId, signal) => open(`${base}/stream/${at(id)}`, { lastEventId, signal }),
  };
}

/** Requests about runs, for components. */
export function useRunsApi(): RunsApi {
  const client = useClient();
  return useMemo(() => makeRunsApi(client), [client]);
}
