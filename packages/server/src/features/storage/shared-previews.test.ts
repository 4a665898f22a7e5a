import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { SharedPreviews } from "../release/record-preview.ts";
import { makeSharedPreviews } from "./shared-previews.ts";

let maker: DatabaseMaker;
let db: Db;
let previews: SharedPreviews;

beforeAll(async () => {
  maker = await startDialect("postgres");
});
afterAll(() => maker?.close());
beforeEach(async () => {
  ({ db } = (await maker.make()).database);
  previews = makeSharedPreviews(db);
});

/** Makes all previews older. */
const age = (hours: number) =>
  sql`update stored_ref set updated_at = to_char(updated_at::timestamptz at time zone 'utc' - make_interval(hours => ${hours}::int), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`.execute(
    db,
  );

test("a preview is found for twelve hours after it was last asked for", async () => {
  await previews.put("one", "a1");
  await previews.put("two", "a2");
  await age(11);
  await previews.put("one", "a1");
  await age(2);
  expect(await previews.find("one")).toBe("a1");
  expect(await previews.find("two")).toBeUndefined();
  expect(await previews.artifacts()).toEqual(["a1"]);
});

test("the newest hundred are kept", async () => {
  for (let n = 0; n < 102; n += 1) {
    await previews.put(`preview-${n}`, `a${n}`);
    if (n === 1) await age(1);
  }
  expect(await previews.artifacts()).toHaveLength(100);
  expect(await previews.find("preview-1")).toBeUndefined();
  expect(await previews.find("preview-101")).toBe("a101");
});
