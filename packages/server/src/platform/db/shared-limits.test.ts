import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import type { AttemptLimit } from "../throttle.ts";
import type { Db } from "./connect.ts";
import { openSharedLimits, removeExpiredAttempts } from "./shared-limits.ts";

let maker: DatabaseMaker;
let db: Db;
/** The same limit on two nodes. */
let one: AttemptLimit;
let two: AttemptLimit;
const clock = fakeClock();
const windowMs = 60_000;
const secret = "a key of the instance";

beforeAll(async () => {
  maker = await startDialect("postgres");
});
afterAll(() => maker?.close());
beforeEach(async () => {
  ({ db } = (await maker.make()).database);
  const options = { name: "test", limit: 3, windowMs };
  one = openSharedLimits({ db, clock, secret })(options);
  two = openSharedLimits({ db, clock, secret })(options);
});

/** Lets everything that counts do so for less time. */
const pass = (seconds: number) =>
  sql`update stored_attempt set expires_at = to_char(expires_at::timestamptz at time zone 'utc' - make_interval(secs => ${seconds}::double precision), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`.execute(
    db,
  );

test("abuse 226: a hundred attempts at once on two nodes get no more than the limit", async () => {
  const all = Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? one : two).take("client"));
  const allowances = await Promise.all(all);
  expect(allowances.filter(({ allowed }) => allowed)).toHaveLength(3);
  const refused = allowances.find(({ allowed }) => !allowed);
  expect(refused).toMatchObject({ limit: 3, remaining: 0 });
  expect(refused?.retryAfterMs).toBeGreaterThan(windowMs - 30_000);
  expect(refused?.retryAfterMs).toBeLessThanOrEqual(windowMs);
  expect((await two.take("another")).allowed).toBe(true);
});

test("an attempt counts for the window, and can be taken back on any node", async () => {
  await one.take("client");
  await pass(30);
  await one.take("client");
  await two.take("client");
  expect(await two.peek("client")).toMatchObject({ allowed: false, remaining: 0 });
  await one.refund("client");
  expect(await two.peek("client")).toMatchObject({ allowed: true, remaining: 1 });
  expect(await two.take("client")).toMatchObject({ allowed: true, remaining: 0 });
  await pass(31);
  expect(await one.take("client")).toMatchObject({ allowed: true, remaining: 0 });
  await two.reset("client");
  expect(await one.peek("client")).toMatchObject({ allowed: true, remaining: 3, resetMs: 0 });
});

test("abuse 226: a flood after a refusal costs no statement, for five seconds", async () => {
  for (const limit of [one, two, one]) await limit.take("client");
  expect((await two.take("client")).allowed).toBe(false);
  await sql`delete from stored_attempt`.execute(db);
  expect((await two.take("client")).allowed).toBe(false);
  clock.advance(5001);
  expect((await two.take("client")).allowed).toBe(true);
});

test("attempts that are taken back at once are all taken back", async () => {
  for (const limit of [one, two, one]) await limit.take("client");
  await Promise.all([one.refund("client"), two.refund("client"), one.refund("client")]);
  expect(await two.peek("client")).toMatchObject({ allowed: true, remaining: 3 });
});

test("a known refusal needs no query, and ends when it is taken back", async () => {
  expect(one.refusal("client")).toBeNull();
  for (const limit of [one, two, one, one]) await limit.take("client");
  expect(one.refusal("client")).toMatchObject({ allowed: false, limit: 3 });
  await one.refund("client");
  expect(one.refusal("client")).toBeNull();
});

test("keys are stored as hashes that nobody can make without the instance's key", async () => {
  await one.take("somebody@example.com");
  const other = openSharedLimits({ db, clock, secret: "another" })({
    name: "test",
    limit: 3,
    windowMs,
  });
  expect(await other.peek("somebody@example.com")).toMatchObject({ remaining: 3 });
  const { rows } = await sql<{ key_hash: string }>`select key_hash from stored_attempt`.execute(db);
  expect(rows).toEqual([{ key_hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
});

test("rows that count no more are removed", async () => {
  await one.take("client");
  await pass(61);
  await one.take("client");
  await removeExpiredAttempts(db);
  const { rows } = await sql`select id from stored_attempt`.execute(db);
  expect(rows).toHaveLength(1);
});
