import pino from "pino";
import { request } from "undici";
import { createApiToken } from "../../packages/server/src/features/admin-auth/api-tokens.ts";
import {
  type AdminGuard,
  makeAdminGuard,
} from "../../packages/server/src/features/admin-auth/guard.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import { migrate } from "../../packages/server/src/platform/db/migrate.ts";
import {
  type AppServer,
  createHttpServer,
} from "../../packages/server/src/platform/http/server.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import type { DatabaseMaker } from "./postgres.ts";

/** A response of an API, with its envelope unpacked. */
export interface Answer<T> {
  status: number;
  data: T;
  error: { code: string; message: string; fields?: Record<string, string>; details?: unknown };
}

interface Parts {
  db: Db;
  clock: FakeClock;
  guard: AdminGuard;
}

export interface TokenApi {
  db: Db;
  clock: FakeClock;
  /** API tokens by scope. */
  tokens: { write: string; read: string };
  /** Sends a request with the `write` token or with the given one; with none if it is empty. */
  ask<T>(path: string, body?: object, token?: string): Promise<Answer<T>>;
  close(): Promise<unknown>;
}

/** Starts routes of the admin API below `prefix` with a separate migrated database. */
export async function startTokenApi(
  maker: DatabaseMaker,
  prefix: string,
  register: (app: AppServer, parts: Parts) => void,
): Promise<TokenApi> {
  const { database } = await maker.make();
  const { db } = database;
  const clock = fakeClock();
  await migrate({ database, now: clock.now() });
  const app = createHttpServer({ log: pino({ level: "silent" }), name: "test", secure: false });
  const guard = makeAdminGuard({ db, clock, config: { baseUrl: "http://localhost:3000" } });
  register(app, { db, clock, guard });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const tokenFor = async (scopes: string[]) =>
    (await createApiToken({ db, clock, name: scopes.join(), scopes })).token;
  const tokens = { write: await tokenFor(["read", "write"]), read: await tokenFor(["read"]) };
  return {
    db,
    clock,
    tokens,
    async ask<T>(path: string, body?: object, token = tokens.write) {
      const response = await request(`${url}${prefix}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const envelope = (await response.body.json()) as Omit<Answer<T>, "status">;
      return { ...envelope, status: response.statusCode };
    },
    close: () => app.close(),
  };
}
