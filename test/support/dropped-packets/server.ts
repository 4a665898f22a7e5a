/**
 * Cuts a node off from PostgreSQL by dropping its packets, and prints as JSON what both sides notice:
 *
 *   unshare --net node test/support/dropped-packets/server.ts
 */
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sql } from "kysely";
import { openAdvisoryLock } from "../../../packages/server/src/platform/db/advisory-lock.ts";
import { openDatabase } from "../../../packages/server/src/platform/db/connect.ts";
import { openLock } from "../../../packages/server/src/platform/lock.ts";
import { nodeBinary } from "../../../packages/server/src/platform/paths.ts";
import { startPostgres } from "../postgres.ts";
import { tempFolder } from "../temp.ts";
import { here, makeOtherNetwork } from "./network.ts";

await using folder = await tempFolder();
const network = await makeOtherNetwork();
await using server = await startPostgres({ address: here });
const address = await server.createDatabase({ empty: true });
const { pathname } = new URL(address.replace("@/", "@localhost/"));
const { db, close } = openDatabase({ url: address, file: "" });
await sql`create table held (n integer)`.execute(db);
await sql`insert into held values (0)`.execute(db);

const program = join(import.meta.dirname, "client.ts");
const url = `postgres://vitrine@${here}${pathname}`;
const client = network.spawn(nodeBinary, [program, url, join(folder.path, "client.lock")]);
if (client.stdout === null || client.stdin === null) throw new Error("It has no pipes.");
const lines = createInterface({ input: client.stdout });
const next = async () => String((await once(lines, "line"))[0]);

if ((await next()) !== "holding") throw new Error("The client doesn't hold the lock.");
network.cut();
const began = performance.now();
const since = () => Math.round(performance.now() - began);
const asked = next();
client.stdin.write("go\n");
const lock = openAdvisoryLock(db, "publish", openLock(join(folder.path, "server.lock")));
const lockMs = lock.run(async () => since(), { waitMs: 60_000 });
const rowMs = sql`update held set n = 100`.execute(db).then(since);
const [outcome, askedMs] = (await asked).split(" ");
const noticed = { outcome, askedMs: Number(askedMs), lockMs: await lockMs, rowMs: await rowMs };
network.restore();
client.stdin.write("go\n");
const transaction = await next();
const after = await next();
const { rows } = await sql<{ n: number }>`select n from held`.execute(db);
console.log(JSON.stringify({ ...noticed, transaction, after, n: rows[0]?.n }));
await close();
network.close();
