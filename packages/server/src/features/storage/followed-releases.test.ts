import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import type { Db } from "../../platform/db/connect.ts";
import { makeFollowedReleases } from "./followed-releases.ts";

let store: TestDatabase;
let db: Db;

beforeEach(async () => {
  store = await makeTestDatabase();
  ({ db } = store.database);
});
afterEach(() => store.cleanup());

const open = (dir: string) => makeFollowedReleases({ db, dir });
const long = 60_000;

test("a release is waited for until all other nodes serve it", async () => {
  const [one, two, three] = [open("/one"), open("/two"), open("/three")];
  for (const node of [one, two, three]) await node.put(1);
  const done: string[] = [];
  const waiting = one.wait(2, long).then(() => done.push("waited"));
  await two.put(2);
  done.push("two");
  await three.put(3);
  done.push("three");
  await waiting;
  expect(done).toEqual(["two", "three", "waited"]);
});

test("nobody waits for itself, for a lost node, or for long", async () => {
  const [one, two] = [open("/one"), open("/two")];
  await one.put(1);
  await expect(one.wait(2, long)).resolves.toBeUndefined();
  await two.put(2);
  await expect(two.wait(3, 1)).resolves.toBeUndefined();
  await sql`update stored_ref set updated_at = '2026-01-01T00:00:00.000Z' where object_id = '2'`.execute(
    db,
  );
  await expect(one.wait(3, long)).resolves.toBeUndefined();
  await two.put(3);
  await two.remove();
  await expect(one.wait(4, long)).resolves.toBeUndefined();
});
