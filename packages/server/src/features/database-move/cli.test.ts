import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installSmall, vitrine } from "../../../../../test/support/backups.ts";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";

let folder: TempFolder;
let maker: DatabaseMaker;
let dir: string;

beforeAll(async () => {
  folder = await tempFolder();
  maker = await startDialect("postgres", { empty: true });
  dir = join(folder.path, "instance");
  await installSmall(dir);
}, 180_000);
afterAll(async () => {
  await maker.close();
  await folder.remove();
});

const move = (args: string[], { input = "", env = {} } = {}) =>
  vitrine(["migrate-database", ...args], { VITRINE_DIR: dir, ...env }, input);
const tokens = async () =>
  JSON.stringify((await vitrine(["api-token", "list"], { VITRINE_DIR: dir })).data);

test("abuse 214: a password is refused as an argument, and appears in no output", async () => {
  for (const address of [
    "postgres://ada:s3cret-word@localhost/site",
    "postgres://ada@localhost/site?password=s3cret-word",
  ]) {
    const refused = await move(["--to", address]);
    expect(refused).toMatchObject({ code: 1, error: { code: "bad_request" } });
    expect(JSON.stringify(refused)).not.toContain("s3cret-word");
  }
  const wrong = await move(["--to", "postgres"], { input: "mysql://ada:s3cret-word@localhost/x" });
  expect(wrong).toMatchObject({ code: 1, error: { code: "bad_request" } });
  const away = await move(["--to", "postgres"], {
    input: "postgres://ada:s3cret-word@127.0.0.1:1/site",
  });
  expect(away).toMatchObject({ code: 1, error: { code: "unavailable" } });
  expect(JSON.stringify([wrong, away])).not.toContain("s3cret-word");
});

test("the command says what it would move, moves it, and brings it back", async () => {
  expect(await move(["--to", "sqlite"])).toMatchObject({ code: 3 });
  const url = (await maker.make()).address.url ?? "";
  await vitrine(["api-token", "create", "kept"], { VITRINE_DIR: dir });
  const before = await tokens();
  const plan = await move(["--to", url]);
  expect(plan).toMatchObject({ code: 0, data: { target: "empty", next: expect.any(String) } });
  expect(await move(["--to", "postgres", "--yes"], { input: url })).toMatchObject({ code: 0 });
  expect((await lstat(join(dir, "data/database.json"))).mode & 0o777).toBe(0o600);
  expect(await tokens()).toBe(before);
  expect(await move(["--to", url])).toMatchObject({ code: 3 });

  // As if a service set it, and nobody changes the service.
  const env = { DATABASE_URL: url };
  const back = await move(["--to", "sqlite", "--yes"], { env });
  expect(back).toMatchObject({ code: 0, data: { next: expect.stringContaining("DATABASE_URL") } });
  expect((await lstat(join(dir, "data/vitrine.db"))).mode & 0o777).toBe(0o600);
  expect(await tokens()).toBe(before);
  const found = await vitrine(["doctor"], { VITRINE_DIR: dir, ...env });
  expect(JSON.stringify(found)).toMatch(
    /"name":"database","status":"warning","message":"sqlite, migrated/,
  );
}, 180_000);
