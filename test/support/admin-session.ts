import { request } from "undici";
import { makeSessions } from "../../packages/server/src/features/admin-auth/sessions.ts";
import { readAccount, replaceSecret } from "../../packages/server/src/features/admin-auth/store.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import type { FakeClock } from "./clock.ts";

/** One answer of the API, its envelope opened. */
export interface Answer<T> {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  data: T;
  error: { code: string; message: string; fields?: Record<string, string>; details?: unknown };
}

/** Asks below the prefix, with these headers instead of the session's where they are given. */
export type Ask = <T>(
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer<T>>;

/** The cookie of one more session of the admin. */
export async function anotherCookie(db: Db, clock: FakeClock, name: string): Promise<string> {
  const { version: accountVersion } = await readAccount(db);
  const client = { method: "link", ip: "::1", userAgent: "", accountVersion } as const;
  const started = await makeSessions({ db, clock }).start(client);
  return `${name}=${started?.id ?? ""}`;
}

/** The cookie of an admin who has signed in by a link. */
export async function adminCookie(db: Db, clock: FakeClock, name: string): Promise<string> {
  await replaceSecret(db, { kind: "token", hash: "none", at: isoTime(clock.now()) });
  return anotherCookie(db, clock, name);
}

/** What asks a listening server below `prefix`; a body makes it a POST, as it is if it is a text. */
export function makeAsk(prefix: string, cookie: string): Ask {
  return async <T>(path: string, body?: unknown, headers: Record<string, string> = { cookie }) => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const response = await request(prefix + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { ...type, ...headers },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.body.text();
    const envelope = (text === "" ? {} : JSON.parse(text)) as Pick<Answer<T>, "data" | "error">;
    return { ...envelope, text, status: response.statusCode, headers: response.headers };
  };
}
