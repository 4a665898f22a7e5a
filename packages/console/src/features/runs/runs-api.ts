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
  /** The fingerprint of a `private_text` refusal: what it names goes live too. */
  confirmPrivate?: string;
  /** Whether visitors read of it in the changelog; left out, as in the preview. */
  mentionInChangelog?: boolean;
}

/** What the console asks about runs. Each rejects with an ApiError. */
export interface RunsApi {
  listRuns(page: number, perPage: number): Promise<Page<Run>>;
  getRun(id: string): Promise<Run>;
  start(run: NewRun): Promise<string>;
  /** Says something to a run that is at work; it is heard after the step that runs now. */
  sendMessage(id: string, text: string, context?: InstructionContext): Promise<RunMessage>;
  /** Takes back what no agent has heard yet. */
  withdrawMessage(messageId: number): Promise<void>;
  /** What a run will take, after those before it. */
  estimate(mode: Mode): Promise<Estimate>;
  /** Who last touched a line of the site's source; with a run, in its preview. */
  blame(file: string, line: number, runId?: string): Promise<Blame>;
  /** What a run changed, with the patches. */
  diff(id: string): Promise<FileDiff[]>;
  publish(id: string, options?: PublishRunOptions): Promise<Run>;
  discard(id: string): Promise<Run>;
  cancel(id: string): Promise<Run>;
  /** Goes on from where the run stood, where that is possible and not `fresh`. */
  retry(id: string, fresh?: boolean): Promise<string>;
  /** Carries out the same instruction again, on the site as it is now. */
  reapply(id: string): Promise<string>;
  restore(id: string, mode: "undo" | "version"): Promise<string>;
  /** Opens the run's event stream after the event `lastEventId`. */
  stream(id: string, lastEventId: string, signal: AbortSignal): Promise<Response>;
}

const base = "/devconsole";

/** The runner's API as the browser sees it, through the gate on the site's own origin. */
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

/** What a part of the console asks about runs. */
export function useRunsApi(): RunsApi {
  const client = useClient();
  return useMemo(() => makeRunsApi(client), [client]);
}
