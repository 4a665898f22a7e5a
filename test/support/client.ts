import { expect } from "vitest";
import type { Run, RunStatus } from "../../packages/server/src/features/runs/schema.ts";
import { eventually } from "./eventually.ts";
import type { TestInstance } from "./instance.ts";

interface Envelope<T> {
  ok: boolean;
  data: T;
  error: { code: string; message: string; fields?: Record<string, string> } | null;
}

/** The signed-in admin without a browser. */
export interface AdminClient {
  /** Its session's cookie. */
  cookie: string;
  get<T>(path: string): Promise<Envelope<T>>;
  post<T>(path: string, body: object): Promise<Envelope<T>>;
  /** Starts a run on the home page and returns its ID. */
  start(instruction: string): Promise<string>;
  /** Waits until the run has the status. */
  reach(runId: string, status: RunStatus): Promise<Run>;
}

/** Signs in by a new secret link, which ends every other session. */
export async function signIn(
  instance: Pick<TestInstance, "baseUrl" | "link">,
): Promise<AdminClient> {
  const response = await fetch(await instance.link(), { redirect: "manual" });
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const ask = async <T>(path: string, init: RequestInit): Promise<Envelope<T>> =>
    (await (await fetch(instance.baseUrl + path, init)).json()) as Envelope<T>;
  const client: AdminClient = {
    cookie,
    get: (path) => ask(path, { headers: { cookie } }),
    post: (path, body) =>
      ask(path, {
        method: "POST",
        headers: { cookie, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    async start(instruction) {
      const body = { instruction, pageUrl: "/" };
      return (await client.post<{ runId: string }>("/devconsole/run", body)).data.runId;
    },
    reach: (runId, status) =>
      eventually(async () => {
        const { data } = await client.get<Run>(`/devconsole/runs/${runId}`);
        expect(data.status).toBe(status);
        return data;
      }, 60_000),
  };
  return client;
}

/** The session of a signed-in admin, for a browser context of its own: its `storageState`. */
export function browserSession({ cookie }: Pick<AdminClient, "cookie">) {
  const [name = "", value = ""] = cookie.split("=");
  const attributes = { domain: "localhost", path: "/", expires: -1, httpOnly: true, secure: false };
  return { cookies: [{ name, value, ...attributes, sameSite: "Lax" as const }], origins: [] };
}
