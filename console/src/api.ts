import type {
  Along,
  Blame,
  Estimate,
  FileDiff,
  Mode,
  NewRun,
  Page,
  Run,
  RunMessage,
} from "./types.ts";

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
  start(run: NewRun): Promise<string>;
  /** Says something to a run that is at work; it is heard after the step that runs now. */
  say(id: string, text: string, along?: Along): Promise<RunMessage>;
  /** Takes back what no agent has heard yet. */
  unsay(messageId: number): Promise<void>;
  /** What a run will take, after those before it. */
  estimate(mode: Mode): Promise<Estimate>;
  /** Who last touched a line of the site's source; with a run, in its preview. */
  blame(file: string, line: number, runId?: string): Promise<Blame>;
  /** What a run changed, with the patches. */
  diff(id: string): Promise<FileDiff[]>;
  /** With the fingerprint of a `private_text` refusal, what it names goes live too. */
  publish(id: string, confirmPrivate?: string): Promise<Run>;
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

/** Requests below `base`: `get` and `post` give what the envelope carries, or throw its refusal. */
export function makeRequests(fetch: typeof globalThis.fetch, base: string) {
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
    // What was asked for only if it is new.
    if (!response.ok && response.status !== 304) throw await refusal(response);
    return response;
  }

  async function data<T>(response: Response | Promise<Response>): Promise<T> {
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
  return { send, data, get, post };
}

/** The runner's API as the browser sees it, through the gate on the site's own origin. */
export function makeApi(fetch: typeof globalThis.fetch, base = "/devconsole"): Api {
  const { send, get, post } = makeRequests(fetch, base);
  const runId = (answer: { runId: string }): string => answer.runId;
  const at = (id: string): string => encodeURIComponent(id);

  return {
    isSignedIn: async () => (await get<{ admin: boolean }>("/auth")).admin,
    listRuns: (page, perPage) => get(`/runs?page=${page}&perPage=${perPage}`),
    getRun: (id) => get(`/runs/${at(id)}`),
    start: async (run) => runId(await post("/run", run)),
    say: (id, text, along = {}) => post("/message", { runId: id, text, ...along }),
    unsay: async (messageId) => void (await post("/message/withdraw", { messageId })),
    estimate: (mode) => get(`/estimate?mode=${mode}`),
    blame: (file, line, id) => {
      const query = new URLSearchParams({ file, line: String(line) });
      if (id !== undefined) query.set("runId", id);
      return get(`/blame?${query}`);
    },
    diff: async (id) => (await get<{ files: FileDiff[] }>(`/runs/${at(id)}/diff`)).files,
    publish: (id, confirmPrivate) =>
      post("/publish", { runId: id, ...(confirmPrivate === undefined ? {} : { confirmPrivate }) }),
    discard: (id) => post("/discard", { runId: id }),
    cancel: (id) => post("/cancel", { runId: id }),
    retry: async (id, fresh = false) => runId(await post("/retry", { runId: id, fresh })),
    reapply: async (id) => runId(await post("/reapply", { runId: id })),
    restore: async (id, mode) => runId(await post("/restore", { runId: id, mode })),
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
