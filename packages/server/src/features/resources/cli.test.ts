import { Command } from "commander";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { makeTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";
import { registerResourceCommands } from "./cli.ts";
import { createSource } from "./sources.ts";

let stores: TestDatabase;
let reply: [word: string, data: unknown][];

beforeEach(async () => {
  stores = await makeTestDatabase();
  reply = [];
});
afterEach(() => stores.cleanup());

async function run(...args: string[]): Promise<void> {
  const context: CliContext = {
    clock: fakeClock(),
    log: pino({ level: "silent" }),
    open: async () => ({ database: stores.database }) as unknown as OpenedInstance,
    print: (data) => void reply.push(["done", data]),
    printNothingToDo: (data) => void reply.push(["nothing", data]),
    readSecret: async () => "",
  };
  const program = new Command().exitOverride();
  registerResourceCommands(program, context);
  await program.parseAsync(args, { from: "user" });
}

const resources = (agent: string) => run("resources", agent);

test("add-starter-sources adds those that are missing", async () => {
  await run("add-starter-sources");
  await run("add-starter-sources");
  expect(reply).toEqual([
    ["done", { added: expect.any(Number) }],
    ["nothing", { added: 0 }],
  ]);
  await resources("drafter");
  expect(reply.at(-1)?.[0]).toBe("done");
});

test("resources tells what one kind of agent goes by", async () => {
  const editing = { db: stores.database.db, clock: fakeClock() };
  const source = { title: "Style guide", url: "https://example.com", notes: "", enabled: true };
  await resources("editor");
  await createSource(editing, { ...source, agent: "editor" });
  await resources("editor");
  await resources("qa");
  const { title, url, notes } = source;
  expect(reply).toEqual([
    ["nothing", { agent: "editor", sources: [] }],
    ["done", { agent: "editor", sources: [{ title, url, notes }] }],
    ["nothing", { agent: "qa", sources: [] }],
  ]);
  await expect(resources("all")).rejects.toMatchObject({ code: "bad_request" });
});
