import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { makeTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";
import { registerChangelogCommands } from "./cli.ts";
import { listEntries, readSeedState } from "./store.ts";

let folder: TempFolder;
let stores: TestDatabase;
let reported: string[];
let reply: [word: string, data: unknown][];

beforeEach(async () => {
  folder = await tempFolder();
  stores = await makeTestDatabase();
  [reported, reply] = [[], []];
  await mkdir(join(folder.path, "database"));
});
afterEach(async () => {
  await stores.cleanup();
  await folder.remove();
});

async function seed(list: unknown, ownerName = "Ada Owner"): Promise<void> {
  await writeFile(join(folder.path, "database/changelog.json"), JSON.stringify(list));
  const config = { paths: { content: folder.path }, owner: { name: "As Installed" } };
  const context: CliContext = {
    clock: fakeClock(),
    log: pino({ level: "silent" }),
    open: async () => ({ config, database: stores.database }) as unknown as OpenedInstance,
    print: (data) => void reply.push(["done", data]),
    printNothingToDo: (data) => void reply.push(["nothing", data]),
    readSecret: async () => "",
  };
  const program = new Command().exitOverride();
  registerChangelogCommands(program, context, {
    ownerName: async ({ config: { paths } }) => {
      expect(paths.content).toBe(folder.path);
      return ownerName;
    },
    onChange: async (transaction, reason) => {
      expect(transaction.isTransaction).toBe(true);
      reported.push(reason);
    },
  });
  await program.parseAsync(["seed-changelog"], { from: "user" });
}

test("seed-changelog tells the site what came and went, and is not done again by others", async () => {
  await seed([["2026-01-01", "fix", "One", ""]]);
  await seed([["2026-01-01", "fix", "One", ""]]);
  await seed([]);
  expect(reply).toEqual([
    ["done", { added: 1, removed: 0, unchanged: 0 }],
    ["nothing", { added: 0, removed: 0, unchanged: 1 }],
    ["done", { added: 0, removed: 1, unchanged: 0 }],
  ]);
  expect(reported).toEqual(Array(2).fill("database/changelog.json has changed"));
  expect(await readSeedState(stores.database.db)).toMatchObject({ error: null });
  await expect(seed([[]])).rejects.toMatchObject({ code: "validation_failed" });
  expect(reported).toHaveLength(2);
});

test("seed-changelog signs with the name that is set now, not with vitrine.json's", async () => {
  const actors = async () =>
    (await listEntries(stores.database.db, { limit: 9, offset: 0 })).items.map(
      ({ actor }) => actor,
    );
  await seed([["2026-01-01", "fix", "One", ""]]);
  expect(await actors()).toEqual(["Ada Owner"]);
  await seed([["2026-01-01", "fix", "One", ""]], "Ada Newname");
  expect(await actors()).toEqual(["Ada Newname"]);
});
