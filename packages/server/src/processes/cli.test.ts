import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { tempFolder, type TempFolder } from "../../../../test/support/temp.ts";
import { listEntries } from "../features/changelog/store.ts";
import { openDatabase } from "../platform/db/connect.ts";
import { migrate } from "../platform/db/migrate.ts";
import { writeFileAtomic } from "../platform/files.ts";
import { instancePaths } from "../platform/paths.ts";
import { createKeys } from "../platform/secrets.ts";
import { runCommand } from "./cli.ts";

let folder: TempFolder;
let env: Record<string, string>;
beforeAll(async () => {
  folder = await tempFolder();
  const paths = instancePaths(folder.path);
  await createKeys(paths.keys);
  const database = openDatabase({ url: null, file: paths.database });
  await migrate({ database, now: 0 });
  await database.close();
  await writeFile(paths.configFile, "{}");
  await writeFileAtomic(paths.installLock, "{}");
});
afterAll(() => folder.remove());
beforeEach(() => {
  env = { VITRINE_DIR: folder.path };
});

async function run(args: string[], input = "") {
  const streams = {
    stdin: Readable.from([input]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const code = await runCommand(args, env, streams);
  streams.stdout.end();
  streams.stderr.end();
  const [stdout, stderr] = [await text(streams.stdout), await text(streams.stderr)];
  return { code, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
}

describe("the command line", () => {
  test("answers with one envelope on one line, and nothing on stderr", async () => {
    const { code, stdout, stderr, json } = await run(["setting", "list"]);
    expect(code).toBe(0);
    expect(stdout.trimEnd()).not.toContain("\n");
    expect(json()).toMatchObject({ ok: true, error: null });
    expect(stderr).toBe("");
  });

  test("--pretty gives lines for people", async () => {
    const { stdout } = await run(["setting", "get", "model.apiKey", "--pretty"]);
    expect(stdout).toBe("name: model.apiKey\nsecret: true\nset: false\nvalue: –\n");
    const failed = await run(["setting", "get", "nope", "--pretty"]);
    expect(failed.stdout).toMatch(/^This setting doesn.*\(not_found\)\n$/);
  });

  test.each([
    [[]],
    [["nonsense"]],
    [["setting"]],
    [["setting", "get"]],
    [["migrate", "--what"]],
    [["seed-changelog", "now"]],
  ])("wrong usage %j ends with 2", async (args) => {
    const { code, json } = await run(args);
    expect(code).toBe(2);
    expect(json()).toMatchObject({ ok: false, error: { code: "bad_request" } });
  });

  test.each([
    ["a\u0000b", "control characters"],
    ["a\u001b[2Jb", "control characters"],
    ["a\ud800b", "half of a surrogate pair"],
    ["a\ufffdb", "UTF-8"],
  ])(
    "abuse 159: a text that couldn't be stored ends with 2 and names its option: %j",
    async (given, fault) => {
      for (const args of [["--scopes", given], [`--scopes=${given}`]]) {
        const { code, json } = await run(["api-token", "create", "t", ...args]);
        expect(code).toBe(2);
        const { error } = json() as { error: { code: string; message: string } };
        expect(error.code).toBe("bad_request");
        expect(error.message).toContain("--scopes");
        expect(error.message).toContain(fault);
      }
      const named = await run(["api-token", "create", given]);
      expect(named).toMatchObject({ code: 2 });
      expect(named.stdout).toContain("Argument 3");
    },
  );

  test("exit codes tell a failure from nothing to do", async () => {
    expect((await run(["migrate"])).code).toBe(3);
    expect((await run(["setting", "unset", "model.apiKey"])).code).toBe(3);
    expect((await run(["setting", "get", "nope"])).code).toBe(1);
    expect((await run(["--help"])).code).toBe(0);
  });

  test("abuse 76: doctor says in which tier builds run, and what that means", async () => {
    env["SANDBOX"] = "off";
    const { json } = await run(["doctor"]);
    const { error } = json() as { error: { details: { checks: object[] } } };
    expect(error.details.checks).toContainEqual({
      name: "sandbox",
      status: "warning",
      message: expect.stringMatching(/^Containment: none\. .*SANDBOX=off.* waits for review\.$/),
    });
  });

  test("--dir goes over VITRINE_DIR; without an instance the command says what to do", async () => {
    const none = join(folder.path, "none");
    const { code, json } = await run(["setting", "list", "--dir", none]);
    expect(code).toBe(1);
    expect(json()).toMatchObject({ error: { code: "unavailable" } });
    expect(JSON.stringify(json())).toContain("vitrine install");
  });

  test("a change of a site that the installation can't be told of ends with 1 and its result", async () => {
    const site = instancePaths(join(folder.path, "sites", "anna"));
    await createKeys(site.keys);
    const database = openDatabase({ url: null, file: site.database });
    await migrate({ database, now: 0 });
    await database.close();
    await writeFile(site.configFile, '{"site": {"id": "anna"}}');
    await writeFileAtomic(site.installLock, "{}");
    const { siteRegistry } = instancePaths(folder.path);
    const told = await run(["--site", "anna", "setting", "list"]);
    expect(told.code).toBe(0);
    expect(told.json()).toMatchObject({ ok: true, data: { settings: expect.any(Array) } });
    await writeFile(siteRegistry, "no database".repeat(100));
    const { code, json } = await run(["--site", "anna", "setting", "list"]);
    expect(code).toBe(1);
    expect(json()).toMatchObject({
      ok: false,
      error: { details: { result: { settings: expect.any(Array) } } },
    });
    await rm(siteRegistry);
  });

  test("a wrong configuration is named", async () => {
    env["PORT"] = "many";
    expect((await run(["setting", "list"])).json()).toMatchObject({
      error: { code: "bad_request", fields: { PORT: expect.any(String) } },
    });
  });

  test("abuse 99: install where something is installed is refused with 1", async () => {
    const { code, json } = await run(["install", "--yes"]);
    expect(code).toBe(1);
    expect(json()).toMatchObject({ error: { code: "already_exists" } });
  });

  test("install asks line by line and names the wrong answer", async () => {
    const { code, json, stderr } = await run(["install"], "Ada\nnot an address\n");
    expect(code).toBe(1);
    expect(json()).toMatchObject({ error: { fields: { baseUrl: expect.any(String) } } });
    expect(stderr).toContain("Your name");
  });

  test.each([
    [["set-admin-password", "hunter2-secret"]],
    [["set-admin-password", "--password=hunter2-secret"]],
    [["set-admin-password", "--password", "hunter2-secret"]],
    [["set-admin-token", "hunter2-secret"]],
    [["setting", "set", "model.apiKey", "hunter2-secret"]],
    [["setting", "set", "model.apiKey", "--value=hunter2-secret"]],
    [["setting", "set", "identity", "hunter2-secret"]],
    [["rotate-settings-key", "hunter2-secret"]],
    [["rotate-settings-key", "--key=hunter2-secret"]],
  ])("abuse 104: %j is refused, not repeated and not stored", async (args) => {
    const { code, stdout, stderr } = await run(args, "from-stdin-instead");
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain("hunter2-secret");
    expect((await run(["setting", "get", "model.apiKey"])).stdout).toContain('"set":false');
    expect((await run(["setting", "get", "identity"])).stdout).toContain('"set":false');
  });

  test("abuse 104: a secret from stdin is stored and never shown", async () => {
    // A key is kept for a model: before there is one it is refused.
    const early = await run(["setting", "set", "model.apiKey"], "sk-from-stdin\n");
    expect([early.code, early.json()]).toMatchObject([1, { error: { code: "invalid_state" } }]);
    const model = JSON.stringify({ provider: "anthropic", id: "claude" });
    expect((await run(["setting", "set", "model"], model)).code).toBe(0);
    const set = await run(["setting", "set", "model.apiKey"], "sk-from-stdin\n");
    expect(set.code).toBe(0);
    const views = [
      set,
      await run(["setting", "get", "model.apiKey"]),
      await run(["setting", "list"]),
    ];
    for (const { stdout, stderr } of views) {
      expect(stdout).toContain('"set":true');
      expect(stdout + stderr).not.toContain("sk-from-stdin");
    }
    expect((await run(["setting", "unset", "model.apiKey"])).code).toBe(0);
  });

  test("seed-changelog signs with the name that is set, not with that of vitrine.json", async () => {
    const { content, database: file } = instancePaths(folder.path);
    await mkdir(join(content, "database"), { recursive: true });
    const list = JSON.stringify([["2026-01-01", "fix", "One", ""]]);
    await writeFile(join(content, "database/changelog.json"), list);
    const owner = JSON.stringify({ name: "Ada Newname", timeZone: "Europe/Stockholm" });
    expect((await run(["setting", "set", "owner"], owner)).code).toBe(0);
    expect((await run(["seed-changelog"])).json()).toMatchObject({ data: { added: 1 } });
    const database = openDatabase({ url: null, file });
    const { items } = await listEntries(database.db, { limit: 9, offset: 0 });
    await database.close();
    expect(items.map(({ actor }) => actor)).toEqual(["Ada Newname"]);
    expect((await run(["setting", "unset", "owner"])).code).toBe(0);
  });

  test("rotating the settings' key seals the secrets anew; old keys go in their time", async () => {
    const provider = { id: "work", kind: "github", name: "Work", clientId: "id" };
    const list = JSON.stringify([{ ...provider, clientSecret: "hunter2-secret" }]);
    expect((await run(["setting", "set", "identity"], list)).code).toBe(0);
    const rotated = await run(["rotate-settings-key"]);
    expect([rotated.code, rotated.json()]).toMatchObject([
      0,
      { data: { keyId: "k2", resealed: 1, dropped: [], retired: [{ id: "k1", sealed: 0 }] } },
    ]);
    const early = await run(["rotate-settings-key", "--drop-old"]);
    expect([early.code, early.json()]).toMatchObject([3, { data: { keyId: "k2", dropped: [] } }]);
    expect((await run(["setting", "list"])).stdout).not.toContain("hunter2-secret");
    expect((await run(["setting", "unset", "identity"])).code).toBe(0);
  });

  test("an empty or endless secret is refused", async () => {
    expect((await run(["setting", "set", "model.apiKey"], "")).code).toBe(1);
    const endless = await run(["setting", "set", "model.apiKey"], "x".repeat(20_000));
    expect(endless.json()).toMatchObject({ error: { code: "validation_failed" } });
  });
});
