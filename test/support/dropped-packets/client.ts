/**
 * A process of a node that is cut off, for server.ts: holds a lock and a row, and says what happens to
 * what it asks.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { sql } from "kysely";
import { openAdvisoryLock } from "../../../packages/server/src/platform/db/advisory-lock.ts";
import { type Db, openDatabase } from "../../../packages/server/src/platform/db/connect.ts";
import { openLock } from "../../../packages/server/src/platform/lock.ts";

const [url = "", file = ""] = process.argv.slice(2);
const { db, close } = openDatabase({ url, file: "" });
const lines = createInterface({ input: process.stdin });
const say = (text: string) => console.log(text);

const ask = (on: Db) =>
  sql`select 1`.execute(on).then(
    () => "answered",
    () => "failed",
  );

const locked = openAdvisoryLock(db, "publish", openLock(file)).run(async () => {
  await db
    .transaction()
    .execute(async (trx) => {
      await sql`update held set n = n + 1`.execute(trx);
      say("holding");
      await once(lines, "line");
      // The network is cut from here on.
      const began = performance.now();
      say(`${await ask(trx)} ${Math.round(performance.now() - began)}`);
      await once(lines, "line");
      await sql`update held set n = n + 1`.execute(trx);
    })
    .then(
      () => say("committed"),
      () => say("rolled back"),
    );
});
await locked.catch(() => {});
say(await ask(db));
await close();
process.exit();
