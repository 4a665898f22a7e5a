import { ApiError, type Client } from "../../api/client.ts";
import type { Page, QaFinding, QaOverview, Task } from "../../api/types.ts";

/** What the console asks of the QA engine. Each rejects with an ApiError. */
export interface QaApi {
  /** The same object as the time before while nothing has changed. */
  overview(): Promise<QaOverview>;
  /** What is open or in a task's hands, the weightiest first; with a page, what is on that. */
  findings(pageUrl?: string): Promise<Page<QaFinding>>;
  fix(findingId: number, instruction: string): Promise<Task>;
  ignore(what: object): Promise<void>;
  /** Begins a pass; one that runs already is as good. */
  run(): Promise<void>;
  stop(runId: number): Promise<void>;
}

/** The QA engine's API as the browser sees it. */
export function makeQaApi({ get, getChanged, post }: Client): QaApi {
  const at = "/api/adminqa";
  let last: { etag: string | null; overview: QaOverview } | null = null;
  return {
    async overview() {
      const found = await getChanged<QaOverview>(`${at}/overview`, last?.etag ?? null);
      if (found !== null) last = { etag: found.etag, overview: found.data };
      if (last === null) throw new Error("There is no overview that could be the same.");
      return last.overview;
    },
    findings: (pageUrl) =>
      get(`${at}/findings`, { status: "open,queued", sort: "weight", perPage: 100, pageUrl }),
    fix: (findingId, instruction) =>
      post(`${at}/fix`, { findingId, ...(instruction !== "" && { instruction }) }),
    ignore: async (what) => void (await post(`${at}/ignore`, what)),
    run: async () => {
      await post("/devconsole/qa/run", {}).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== "invalid_state") throw error;
      });
    },
    stop: async (runId) => void (await post("/devconsole/qa/stop", { runId: runId })),
  };
}
