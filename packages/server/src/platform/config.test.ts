import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../../../test/support/temp.ts";
import { AppError } from "../kit/errors.ts";
import { loadConfig, logFileOf } from "./config.ts";

let folder: TempFolder;

beforeEach(async () => {
  folder = await tempFolder();
});

afterEach(() => folder.remove());

async function config(file: unknown, env: Record<string, string> = {}) {
  await mkdir(folder.path, { recursive: true });
  const text = typeof file === "string" ? file : JSON.stringify(file);
  await writeFile(join(folder.path, "vitrine.json"), text);
  return loadConfig({ VITRINE_DIR: folder.path, ...env });
}

test("an empty file gives the documented defaults", async () => {
  const { host, port, runnerPort, limits, qa, databaseUrl, model } = await config({});
  expect({ host, port, runnerPort, databaseUrl, model }).toEqual({
    host: "127.0.0.1",
    port: 3000,
    runnerPort: 3011,
    databaseUrl: null,
    model: null,
  });
  expect(limits.adminSignIn).toEqual({ perClient: 5, total: 20, windowMinutes: 15 });
  expect(limits.build).toEqual({
    seconds: 60,
    memoryMiB: 1536,
    outputMiB: 1024,
    processes: 64,
    warm: true,
    shareImages: 64,
  });
  expect(qa).toEqual({ intervalMinutes: 60, autofix: true, address: null });
});

test("the environment lies over the file, and leaves the file's other keys", async () => {
  const merged = await config(
    { port: 4000, qa: { autofix: false } },
    {
      PORT: "5000",
      QA_INTERVAL_MIN: "5",
      TRUSTED_IPS: "10.0.0.0/8, 192.0.2.1",
      TRUST_PROXY: "172.16.0.0/12, fc00::/7",
    },
  );
  expect([merged.port, merged.qa, merged.trustedIps, merged.trustProxy]).toEqual([
    5000,
    { intervalMinutes: 5, autofix: false, address: null },
    ["10.0.0.0/8", "192.0.2.1"],
    ["172.16.0.0/12", "fc00::/7"],
  ]);
});

test("keys and a variable are also read under the names that they had before", async () => {
  const accounts = { mailsPerClient: 7, mailsPerAddress: 8 };
  const limits = { accounts, build: { sharePictures: 9 } };
  const old = await config({ limits, qa: { heartbeatMinutes: 10 } });
  expect(old.limits.accounts).toMatchObject({ emailsPerClient: 7, emailsPerAddress: 8 });
  expect([old.limits.build.shareImages, old.qa.intervalMinutes]).toEqual([9, 10]);
  const variable = { QA_HEARTBEAT_MIN: "11" };
  expect((await config({}, variable)).qa.intervalMinutes).toBe(11);
  expect((await config({}, { ...variable, QA_INTERVAL_MIN: "12" })).qa.intervalMinutes).toBe(12);
});

test.each<[string, unknown, Record<string, string>, string]>([
  ["a number that is none", {}, { PORT: "30x" }, "PORT"],
  ["a port out of range", {}, { PORT: "99999" }, "PORT"],
  ["an unknown sandbox", {}, { SANDBOX: "maybe" }, "SANDBOX"],
  ["a switch that is none", {}, { QA_AUTOFIX: "perhaps" }, "QA_AUTOFIX"],
  ["an unknown variable of ours", {}, { VITRINE_DEBGU: "1" }, "VITRINE_DEBGU"],
  [
    "a key under both of its names",
    { qa: { heartbeatMinutes: 1, intervalMinutes: 2 } },
    {},
    "qa.heartbeatMinutes",
  ],
  ["a variable under its old name", {}, { QA_HEARTBEAT_MIN: "1.5" }, "QA_HEARTBEAT_MIN"],
  ["an unknown key", { prot: 1 }, {}, "prot"],
  ["an unknown inner key", { limits: { build: { secondz: 1 } } }, {}, "limits.build.secondz"],
  ["a wrong type", { owner: { name: 5 } }, {}, "owner.name"],
  ["an impossible time zone", { owner: { timeZone: "Mars/Base" } }, {}, "owner.timeZone"],
  [
    "another way to the site with another scheme",
    { baseUrl: "https://a.example", qa: { address: "http://10.0.0.5" } },
    {},
    "qa.address",
  ],
  ["an address that is not the web's", { baseUrl: "ftp://a.example" }, {}, "baseUrl"],
  [
    "abuse 28: a malformed trusted address",
    {},
    { TRUSTED_IPS: "10.0.0.0/8,10.0.0" },
    "TRUSTED_IPS",
  ],
  ["abuse 28: a mask out of range", {}, { TRUSTED_IPS: "::1/129" }, "TRUSTED_IPS"],
])("%s is refused by its name", async (_what, file, env, name) => {
  const error = await config(file, env).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AppError);
  expect((error as AppError).message).toContain(name);
});

test("a file that is not JSON is refused", async () => {
  await expect(config("{")).rejects.toThrow("valid JSON");
});

test("the log goes to stderr unless told, and its files have limits", async () => {
  expect((await config({})).log).toEqual({ to: "stderr", maxMiB: 10, files: 5 });
  const toFile = await config({ log: { maxMiB: 1, files: 2 } }, { LOG_TO: "file" });
  expect(logFileOf(toFile)).toEqual({
    path: join(toFile.paths.data, "logs/vitrine.log"),
    maxBytes: 1_048_576,
    files: 2,
  });
  await expect(config({ log: { files: 1 } })).rejects.toMatchObject({ code: "bad_request" });
  await expect(config({}, { LOG_TO: "syslog" })).rejects.toMatchObject({
    fields: { LOG_TO: expect.any(String) },
  });
});

test("metrics are off unless they have a port, and then on the loopback address", async () => {
  expect((await config({})).metrics).toEqual({ port: null, host: "127.0.0.1" });
  const on = await config({ metrics: { port: 9464 } });
  expect(on.metrics).toEqual({ port: 9464, host: "127.0.0.1" });
  const off = await config({ metrics: { port: 9464 } }, { METRICS_PORT: "off" });
  expect(off.metrics.port).toBeNull();
});

test.each([
  [{ metrics: { port: 0 } }, {}, "metrics.port"],
  [{ metrics: { address: "x" } }, {}, "metrics.address"],
  [{}, { METRICS_PORT: "many" }, "METRICS_PORT"],
  [{}, { METRICS_PORT: "70000" }, "METRICS_PORT"],
])("metrics of %j with %j are refused as %s", async (file, env, name) => {
  await expect(config(file, env)).rejects.toMatchObject({
    code: "bad_request",
    fields: { [name]: expect.any(String) },
  });
});

test("abuse 215: a further site has its own keys, schema, and place in the bucket, whatever the environment says", async () => {
  const env = {
    KEYS_DIR: "/srv/keys",
    DATABASE_URL: "postgres://me@db/vitrine?sslmode=require",
    STORAGE_URL: "s3://bucket/all",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
  };
  const site = await config({ site: { id: "an-na" } }, env);
  expect(site.paths.keys).toBe(join(folder.path, "data/keys"));
  expect(site.storage).toMatchObject({ bucket: "bucket", prefix: "all/sites/an-na" });
  const options = new URL(site.databaseUrl ?? "").searchParams;
  expect([options.get("options"), options.get("sslmode")]).toEqual([
    "-c search_path=vitrine_site_an_na",
    "require",
  ]);
  // In its place, it is part of an installation, whose compiled code it uses.
  const dir = join(folder.path, "sites/anna");
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, "vitrine.json"), JSON.stringify({ site: { id: "anna" } }));
  const placed = loadConfig({ VITRINE_DIR: dir });
  expect([placed.installation.dir, placed.paths.compileCache]).toEqual([
    folder.path,
    join(folder.path, "data/compile-cache"),
  ]);
  // Elsewhere, or under another name, it is alone.
  expect(site.installation.dir).toBe(folder.path);
  await expect(config({ site: { id: "../other" } })).rejects.toThrow("site.id");
});
