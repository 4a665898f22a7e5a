import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startDatabaseProxy } from "../../../../../test/faults/proxy.ts";
import { compileCache } from "../../../../../test/support/compile-cache.ts";
import { canMakeNetworks } from "../../../../../test/support/dropped-packets/network.ts";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import { toAppError } from "../../kit/errors.ts";
import { nodeBinary, platformRoot } from "../paths.ts";
import { run } from "../process.ts";
import { openDatabase } from "./connect.ts";
import { PreparingClient } from "./preparing-client.ts";
import { watchConnections } from "./server-connections.ts";

let maker: DatabaseMaker;
let address: string;

beforeAll(async () => {
  maker = await startDialect("postgres", { empty: true });
  address = (await maker.make()).address.url ?? "";
});
afterAll(() => maker?.close());

/** A database behind a proxy that can swallow everything. */
async function openCuttable() {
  const { proxy, url } = await startDatabaseProxy(address);
  const database = openDatabase({
    url,
    file: "",
    watch: { waitMs: 300, everyMs: 50, connectMs: 500 },
  });
  onTestFinished(async () => {
    await database.close();
    await proxy.close();
  });
  return { proxy, db: database.db };
}

test("abuse 235: a statement fails when the server has disappeared without a word", async () => {
  const { proxy, db } = await openCuttable();
  await sql`select 1`.execute(db);
  proxy.stall();
  /** What the caller of a transaction hears that doesn't give up at its first failure. */
  const inTransaction = db.transaction().execute(async (transaction) => {
    await sql`select 2`.execute(transaction).catch(() => {});
    await sql`select 3`.execute(transaction);
  });
  const failed = await Promise.allSettled([sql`select 2`.execute(db), inTransaction]);
  const reasons = failed.map((each) =>
    each.status === "rejected" ? toAppError(each.reason) : null,
  );
  expect(reasons.map((each) => each?.code)).toEqual(["unavailable", "unavailable"]);
  proxy.flow();
  expect((await sql`select 3 as n`.execute(db)).rows).toEqual([{ n: 3 }]);
}, 30_000);

test("a statement that takes long is waited for while the server can be reached", async () => {
  const { db } = await openCuttable();
  const slow = sql`select pg_sleep(1)`.execute(db);
  await expect(slow).resolves.toMatchObject({ rows: [{}] });
});

/** A connection with a statement that takes `seconds`, watched by probes of another address. */
async function watchStatement(seconds: number, connectionString: string) {
  const client = new PreparingClient({ connectionString: address });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  const watch = watchConnections(
    { connectionString },
    { waitMs: 100, everyMs: 20, connectMs: 500 },
  );
  watch.add(client);
  return client.query("select pg_sleep($1)", [seconds]);
}

test("a single probe that fails ends no statement", async () => {
  const host = new URL(address.replace("@/", "@localhost/")).searchParams.get("host") ?? "";
  let probes = 0;
  const probed = createServer((socket) => {
    probes += 1;
    const upstream = connect(join(host, ".s.PGSQL.5432"));
    for (const each of [socket, upstream]) each.on("error", () => {});
    socket.on("close", () => upstream.destroy());
    // Every second one is answered.
    if (probes % 2 === 1) socket.destroy();
    else socket.pipe(upstream).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(probed, "listening");
  onTestFinished(() => void probed.close());
  const { port } = probed.address() as AddressInfo;
  const { rows } = await watchStatement(0.8, `postgres://vitrine@127.0.0.1:${port}/postgres`);
  expect(rows).toHaveLength(1);
  expect(probes).toBeGreaterThan(2);
});

test("a probe that can't begin, such as without its certificate, is one that fails", async () => {
  const url = "postgres://127.0.0.1/x?sslrootcert=/nowhere/ca.pem";
  await expect(watchStatement(60, url)).rejects.toThrow(/lost/);
});

/** What test/support/dropped-packets/server.ts prints. */
interface Noticed {
  outcome: string;
  askedMs: number;
  lockMs: number;
  rowMs: number;
  transaction: string;
  after: string;
  n: number;
}

test.skipIf(!canMakeNetworks())(
  "abuse 236: when all packets are dropped, both sides notice it, and the locks are free",
  async () => {
    const program = join(platformRoot, "test/support/dropped-packets/server.ts");
    const env = { ...process.env, ...compileCache() };
    const options = { env: env as Record<string, string>, timeoutMs: 110_000 };
    const { stdout, stderr } = await run("unshare", ["--net", nodeBinary, program], options);
    expect(stderr).toBe("");
    const noticed = JSON.parse(stdout) as Noticed;
    const { outcome, transaction, after, n } = noticed;
    expect({ outcome, transaction, after, n }).toEqual({
      outcome: "failed",
      transaction: "rolled back",
      after: "answered",
      n: 100,
    });
    // Without keep-alive, a row would be locked for two hours, and a statement would wait for a quarter of
    // an hour.
    for (const ms of [noticed.askedMs, noticed.lockMs, noticed.rowMs]) {
      expect(ms).toBeLessThan(60_000);
    }
  },
  120_000,
);
