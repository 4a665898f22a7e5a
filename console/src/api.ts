import type { Mode, Page, Run } from "./types.ts";

/** A refusal of the server in its own words, or `offline` when no answer came at all. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: unknown;

  constructor(code: string, message: string, status = 0, details: unknown = null) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.details = details;
  }

  /** The paths that a `conflict` names, if it names any. */
  get files(): string[] {
    const details = this.details as { files?: unknown } | null;
    const files: unknown = Array.isArray(details) ? details : details?.files;
    if (!Array.isArray(files)) return [];
    return files.flatMap((file: unknown) => {
      if (typeof file === "string") return [file];
      const path = (file as { path?: unknown } | null)?.path;
      return typeof path === "string" ? [path] : [];
    });
  }
}

export interface Api {
  isSignedIn(): Promise<boolean>;
  listRuns(page: number, perPage: number): Promise<Page<Run>>;
  getRun(id: string): Promise<Run>;
  start(instruction: string, pageUrl: string, mode: Mode): Promise<string>;
  publish(id: string): Promise<Run>;
  discard(id: string): Promise<Run>;
  cancel(id: string): Promise<Run>;
  retry(id: string): Promise<string>;
  restore(id: string): Promise<string>;
  /** Opens the run's event stream after the event `lastEventId`. */
  stream(id: string, lastEventId: string, signal: AbortSignal): Promise<Response>;
}

type Envelope<T> =
  | { ok: true; data: T }
  | {
      ok: false;
      error: { code: string; message: string; details?: unknown; fields?: Record<string, string> };
    };

async function refusal(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as Envelope<unknown> | null;
  if (body === null || body.ok || typeof body.error?.message !== "string") {
    const code = response.status === 401 ? "unauthenticated" : "internal";
    return new ApiError(
      code,
      `The server answered ${response.status} without an explanation.`,
      response.status,
    );
  }
  const fields = Object.values(body.error.fields ?? {});
  const message =
    fields.length > 0 ? `${body.error.message} ${fields.join(" ")}` : body.error.message;
  return new ApiError(body.error.code, message, response.status, body.error.details);
}

/** The runner's API as the browser sees it, through the gate on the site's own origin. */
export function makeApi(fetch: typeof globalThis.fetch, base = "/devconsole"): Api {
  async function send(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(base + path, {
        credentials: "same-origin",
        cache: "no-store",
        ...init,
      });
    } catch (cause) {
      if ((cause as Error).name === "AbortError") throw cause;
      throw new ApiError("offline", "The server can’t be reached. Nothing was lost here.");
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }

  async function data<T>(response: Promise<Response>): Promise<T> {
    const body = (await (await response).json().catch(() => null)) as Envelope<T> | null;
    if (body?.ok !== true)
      throw new ApiError("internal", "The server’s answer can’t be understood.");
    return body.data;
  }

  const get = <T>(path: string): Promise<T> =>
    data<T>(send(path, { headers: { accept: "application/json" } }));
  const post = <T>(path: string, body: object): Promise<T> =>
    data<T>(
      send(path, {
        method: "POST",
        headers: { accept: "application/json", "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  const runId = (answer: { runId: string }): string => answer.runId;
  const at = (id: string): string => encodeURIComponent(id);

  return {
    isSignedIn: async () => (await get<{ admin: boolean }>("/auth")).admin,
    listRuns: (page, perPage) => get(`/runs?page=${page}&perPage=${perPage}`),
    getRun: (id) => get(`/runs/${at(id)}`),
    start: async (instruction, pageUrl, mode) =>
      runId(await post("/run", { instruction, pageUrl, mode })),
    publish: (id) => post("/publish", { runId: id }),
    discard: (id) => post("/discard", { runId: id }),
    cancel: (id) => post("/cancel", { runId: id }),
    retry: async (id) => runId(await post("/retry", { runId: id })),
    restore: async (id) => runId(await post("/restore", { runId: id })),
    stream: (id, lastEventId, signal) =>
      send(`/stream/${at(id)}`, {
        signal,
        headers: {
          accept: "text/event-stream",
          ...(lastEventId === "" ? {} : { "last-event-id": lastEventId }),
        },
      }),
  };
}
