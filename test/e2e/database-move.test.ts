import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { startDialect } from "../support/postgres.ts";

/** Repeats `work` without a pause until it is stopped; returns how often it has ended. */
function repeatUntilStopped(work: () => Promise<void>) {
  const ending = new AbortController();
  let count = 0;
  const running = (async () => {
    while (!ending.signal.aborted) {
      await work();
      count += 1;
    }
  })();
  return {
    async stop() {
      ending.abort();
      await running;
      return count;
    },
  };
}

/** Has visitors request pages, and a program write records, as fast as they are answered. */
async function makeLoad({ baseUrl, vitrine }: TestInstance) {
  const failed: string[] = [];
  const acknowledged: string[] = [];
  const { token } = await vitrine(["api-token", "create", "load", "--scopes", "read,write"]);
  const headers = { authorization: `Bearer ${String(token)}`, "content-type": "application/json" };
  const visitor = repeatUntilStopped(async () => {
    for (const path of ["/", "/projects/", "/about/"]) {
      const response = await fetch(baseUrl + path).catch((error: Error) => error);
      const text = response instanceof Error ? response.message : await response.text();
      const isPage = !(response instanceof Error) && response.status === 200;
      if (!isPage || !text.includes("</html>")) failed.push(`${path}: ${text.slice(0, 100)}`);
    }
  });
  let next = 0;
  const writer = repeatUntilStopped(async () => {
    next += 1;
    const name = `Entry ${next}`;
    const body = JSON.stringify({ kind: "feature", title: name, detail: "漢字" });
    const url = `${baseUrl}/api/adminchangelog/create`;
    const response = await fetch(url, { method: "POST", headers, body }).catch(() => null);
    if (response?.ok) acknowledged.push(name);
    await response?.text().catch(() => "");
  });
  return {
    acknowledged,
    async stop() {
      const [requests] = await Promise.all([visitor.stop(), writer.stop()]);
      return { requests, failed };
    },
    async titles() {
      const found: string[] = [];
      for (let page = 1; ; page += 1) {
        const url = `${baseUrl}/api/adminchangelog/list?page=${page}&perPage=100`;
        const { data } = (await (await fetch(url, { headers })).json()) as {
          data: { items: { title: string }[] };
        };
        found.push(...data.items.map(({ title }) => title));
        if (data.items.length < 100) return found;
      }
    },
  };
}

test("a running instance goes to PostgreSQL and back: no page fails, and no acknowledged write is lost", async () => {
  const maker = await startDialect("postgres", { empty: true });
  try {
    await using instance = await startInstance();
    const { address } = await maker.make();
    const load = await makeLoad(instance);
    const reach = (count: number) =>
      eventually(() => expect(load.acknowledged.length).toBeGreaterThan(count), 60_000);
    await reach(20);
    const command = ["migrate-database", "--yes", "--to"];
    const there = await instance.vitrine([...command, "postgres"], address.url ?? "");
    expect(there).toMatchObject({ to: expect.stringContaining("PostgreSQL"), skippedTables: [] });
    expect(existsSync(instance.paths.database)).toBe(false);
    await reach(load.acknowledged.length + 20);
    const status = await instance.vitrine(["status"]);
    expect(status).toMatchObject({ checks: { database: { status: "ok", note: "postgres" } } });

    await instance.vitrine([...command, "sqlite"]);
    await reach(load.acknowledged.length + 20);
    const { requests, failed } = await load.stop();
    expect(failed).toEqual([]);
    expect(requests).toBeGreaterThan(10);
    const titles = await load.titles();
    expect(load.acknowledged.filter((title) => !titles.includes(title))).toEqual([]);
    expect(await instance.vitrine(["status"])).toMatchObject({
      checks: { database: { status: "ok", note: "sqlite" } },
    });
  } finally {
    await maker.close();
  }
}, 300_000);
