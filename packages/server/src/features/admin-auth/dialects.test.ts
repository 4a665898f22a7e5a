import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { sha256Hex } from "../../kit/hash.ts";
import type { Db } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { adminSecretsSetAt, setAdminPassword, setAdminToken } from "./admin-secrets.ts";
import { createApiToken, findApiTokenOwner, listApiTokens, revokeApiToken } from "./api-tokens.ts";
import { idleLifetime, makeSessions } from "./sessions.ts";
import { appendLog, listLog, pruneLog, readAccount } from "./store.ts";

describe.each(dialects)("on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;
  const clock = fakeClock();

  beforeAll(async () => {
    maker = await startDialect(dialect);
    const { database } = await maker.make();
    await migrate({ database, now: clock.now() });
    db = database.db;
  });
  afterAll(() => maker.close());

  test("replacing secrets ends the sessions", async () => {
    expect(await adminSecretsSetAt(db)).toEqual({ passwordSetAt: null, tokenSetAt: null });
    await setAdminPassword({ db, clock, password: "a password to set" });
    await setAdminToken({ db, clock, baseUrl: "https://site.example" });
    const { version } = await readAccount(db);
    const sessions = makeSessions({ db, clock });
    const client = { method: "link", ip: "::1", userAgent: "" } as const;
    const started = await sessions.start({ ...client, accountVersion: version });
    expect(await sessions.find(started?.id ?? "")).toMatchObject({ ip: "::1" });
    clock.advance(90_000);
    await sessions.find(started?.id ?? "");
    const idHash = sha256Hex(started?.id ?? "");
    expect(await sessions.isAlive(idHash)).toBe(true);
    clock.advance(idleLifetime);
    expect(await sessions.isAlive(idHash)).toBe(false);
    const next = await sessions.start({ ...client, accountVersion: version });
    await setAdminPassword({ db, clock, password: "another password" });
    expect(await sessions.find(next?.id ?? "")).toBeNull();
  });

  test("the log is appended to and pruned by outcome", async () => {
    const entry = {
      at: "2026-01-01T00:00:00.000Z",
      method: "link",
      ip: "::1",
      user_agent: "",
    } as const;
    await appendLog(
      db,
      Array.from({ length: 700 }, () => ({ ...entry, outcome: "throttled" as const })),
    );
    await pruneLog(db, 10);
    const rows = await db
      .withTables<{ admin_log: { outcome: string } }>()
      .selectFrom("admin_log")
      .select("outcome")
      .execute();
    expect(rows.filter((row) => row.outcome === "throttled")).toHaveLength(10);
    expect(rows.filter((row) => row.outcome === "success")).toHaveLength(2);
  });

  test("tokens are created, found, and revoked; a name has at most one live token", async () => {
    const made = await createApiToken({ db, clock, name: "ci", scopes: ["read"] });
    await expect(createApiToken({ db, clock, name: "ci", scopes: ["read"] })).rejects.toThrow(
      "already",
    );
    expect(await findApiTokenOwner(db, clock.now(), made.token)).toEqual({
      name: "ci",
      scopes: ["read"],
    });
    expect((await listApiTokens(db))[0]?.lastUsedAt).not.toBeNull();
    const { rows, total } = await listLog(db, { page: 1, perPage: 5, outcome: "throttled" });
    expect([rows.length, total]).toEqual([5, 10]);
    await revokeApiToken({ db, clock, name: "ci" });
    expect(await findApiTokenOwner(db, clock.now(), made.token)).toBeNull();
  });
});
