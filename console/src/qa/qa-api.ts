import { ApiError, makeRequests } from "../api.ts";
import type { Page, QaFinding, QaOverview, Task } from "../types.ts";

/** What is ignored: one finding, or all that a check finds, on one page or anywhere. */
export type Ignored = { findingId: number } | { check: string; pageUrl?: string };

/** What the console asks of the QA engine. Each rejects with an ApiError. */
export interface QaApi {
  /** The same object as the time before while nothing has changed. */
  overview(): Promise<QaOverview>;
  /** What is open or in a task's hands, the weightiest first; with a page, what is on that. */
  findings(pageUrl?: string): Promise<Page<QaFinding>>;
  fix(findingId: number, instruction: string): Promise<Task>;
  ignore(what: Ignored, reason: string, until: string | null): Promise<void>;
  /** Begins a pass; one that runs already is as good. */
  run(): Promise<void>;
  stop(passId: number): Promise<void>;
}

/** The QA engine's API as the browser sees it. */
export function makeQaApi(fetch: typeof globalThis.fetch): QaApi {
  const { send, data, get, post } = makeRequests(fetch, "");
  const at = "/api/adminqa";
  let last: { tag: string; overview: QaOverview } | null = null;
  async function overview(): Promise<QaOverview> {
    const headers = { accept: "application/json", ...(last && { "if-none-match": last.tag }) };
    const response = await send(`${at}/overview`, { headers });
    if (response.status === 304 && last !== null) return last.overview;
    const found = await data<QaOverview>(response);
    const tag = response.headers.get("etag");
    last = tag === null ? null : { tag, overview: found };
    return found;
  }
  return {
    overview,
    findings(pageUrl) {
      const query = new URLSearchParams({ status: "open,queued", sort: "weight", perPage: "100" });
      if (pageUrl !== undefined) query.set("pageUrl", pageUrl);
      return get(`${at}/findings?${query}`);
    },
    fix: (findingId, instruction) =>
      post(`${at}/fix`, { findingId, ...(instruction !== "" && { instruction }) }),
    ignore: async (what, reason, until) =>
      void (await post(`${at}/ignore`, { ...what, reason, until })),
    run: async () => {
      await post("/devconsole/qa/run", {}).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== "invalid_state") throw error;
      });
    },
    stop: async (passId) => void (await post("/devconsole/qa/stop", { runId: passId })),
  };
}
