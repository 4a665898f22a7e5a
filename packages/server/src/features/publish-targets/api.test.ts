import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AdminApp, startAdminApp } from "../../../../../test/support/admin.ts";
import { fakeClock } from "../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { silentLog } from "../../../../../test/support/publish/publish-instance.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import type { Db } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { instancePaths } from "../../platform/paths.ts";
import { registerTargets } from "./api.ts";
import { retryDelay } from "./deliver.ts";
import { isForbiddenAddress } from "../../platform/checked-fetch.ts";
import { openHttpClient } from "./kinds/http-client.ts";
import type { KindDependencies } from "./kinds/target-kind.ts";
import { deleteMarks, putMarks, readMarks, readState, writeState } from "./mark-store.ts";
import * as store from "./store.ts";
import { makeTargets } from "./targets.ts";

const keyring = { active: "k1", keys: new Map([["k1", randomBytes(32)]]) };
const kinds: KindDependencies = {
  clock: fakeClock(),
  log: silentLog,
  random: () => 0.5,
  pause: async () => {},
  isForbidden: isForbiddenAddress,
  netlifyUrl: "https://netlify.invalid",
  cloudflareUrl: "https://cloudflare.invalid",
};

const s3 = {
  kind: "s3",
  endpoint: "https://s3.example",
  region: "auto",
  bucket: "site",
  prefix: "",
  isPathStyle: true,
  accessKeyId: "KEY",
} as const;
const bucket = { name: "Bucket", siteUrl: null, forms: "off", settings: s3, secret: "sesame" };
const hostKey = `ssh-ed25519 ${"A".repeat(68)}`;
const rsync = {
  kind: "rsync",
  host: "example.com",
  port: 22,
  user: "me",
  folder: "/srv/site",
  isAtomic: true,
  keptReleases: 3,
  hostKey,
} as const;

describe("the routes", () => {
  let app: AdminApp;
  let folder: TempFolder;
  let cookie: string;
  let woken: number;

  beforeEach(async () => {
    folder = await tempFolder();
    woken = 0;
    const paths = instancePaths(folder.path);
    await mkdir(paths.data, { recursive: true });
    app = await startAdminApp({
      register(server, { guard, clock, db }) {
        const wake = () => {
          woken += 1;
        };
        registerTargets(server, {
          guard,
          targets: makeTargets({ db, clock, paths, keyring, kinds, wake }),
        });
      },
    });
    cookie = await app.signIn();
  });
  afterEach(async () => {
    await app.cleanup();
    await folder.remove();
  });

  const url = "/api/adminsettings/targets";
  const post = (path: string, body: unknown) =>
    app.ask(`${url}/${path}`, {
      body,
      headers: { cookie, origin: "http://localhost:3000" },
    });
  const list = () => app.ask(url, { headers: { cookie } });

  test("a target is added, changed, paused, sent to, and removed; its secret is never returned", async () => {
    expect((await app.ask(url)).status).toBe(401);
    const created = await post("create", bucket);
    expect(created.status).toBe(201);
    expect(created.json().data).toMatchObject({
      id: 1,
      kind: "s3",
      status: "waiting",
      secretSet: true,
      publicKey: null,
      sent: null,
    });
    const renamed = { ...bucket, name: "Renamed", id: 1, secret: undefined };
    expect((await post("save", renamed)).json().data).toMatchObject({ name: "Renamed" });
    expect((await post("pause", { id: 1, isPaused: true })).json().data).toMatchObject({
      status: "paused",
    });
    expect((await post("send", { id: 1 })).json().data).toMatchObject({ status: "waiting" });
    expect(woken).toBe(4);
    const text = [created, await list()].map((answer) => answer.text).join("");
    expect(text).not.toContain("sesame");
    expect((await post("delete", { id: 1 })).json().data).toEqual({ id: 1, deleted: true });
    expect((await list()).json().data).toEqual({ items: [], total: 0, release: null });
    for (const path of ["save", "pause", "send", "test", "delete"]) {
      const body = { save: renamed, pause: { id: 1, isPaused: true } }[path] ?? { id: 1 };
      expect([path, (await post(path, body)).status]).toEqual([path, 404]);
    }
  });

  test.each([
    [{ ...bucket, name: " " }, "name"],
    [{ ...bucket, forms: "origin" }, "siteUrl"],
    [{ ...bucket, siteUrl: "https://copy.example/path" }, "siteUrl"],
    [{ ...bucket, secret: undefined }, "secret"],
    [{ ...bucket, settings: { ...s3, endpoint: "ftp://s3.example" } }, "settings.endpoint"],
    [{ ...bucket, settings: { ...s3, prefix: "../other" } }, "settings.prefix"],
    [{ ...bucket, settings: { ...rsync, host: "-oProxyCommand=x" } }, "settings.host"],
    [{ ...bucket, settings: { ...rsync, user: "-l" } }, "settings.user"],
    [{ ...bucket, settings: { ...rsync, folder: "/srv/$(id)" } }, "settings.folder"],
    [{ ...bucket, settings: { ...rsync, folder: "/srv/../etc" } }, "settings.folder"],
    [{ ...bucket, settings: { ...rsync, hostKey: "" } }, "settings.hostKey"],
    [
      {
        ...bucket,
        settings: {
          kind: "git",
          url: "ext::sh -c id",
          branch: "pages",
          layout: "root",
          domain: null,
          user: "",
          hostKey: null,
        },
      },
      "settings.url",
    ],
  ])("bad input is refused with its field (%#)", async (body, field) => {
    const response = await post("create", body);
    expect(response.status).toBe(422);
    const { fields } = response.json().error as { fields?: object };
    expect(Object.keys(fields ?? {})).toEqual([field]);
  });

  test("there are at most ten targets", async () => {
    for (let count = 0; count < 10; count += 1) await post("create", bucket);
    expect((await post("create", bucket)).status).toBe(409);
  });

  test("abuse 207: a secret isn't used for another server than the one it was entered for", async () => {
    await post("create", bucket);
    const elsewhere = { ...s3, endpoint: "https://evil.example" };
    const refused = await post("save", {
      ...bucket,
      id: 1,
      settings: elsewhere,
      secret: undefined,
    });
    expect(refused.status).toBe(422);
    expect(refused.json().error).toMatchObject({
      fields: { secret: "is required for this destination" },
    });
    const token = { kind: "netlify", siteId: "abc" };
    expect(
      (await post("save", { ...bucket, id: 1, settings: token, secret: undefined })).status,
    ).toBe(422);
    const folderInBucket = { ...s3, prefix: "live" };
    const moved = { ...bucket, id: 1, settings: folderInBucket, secret: undefined };
    expect((await post("save", moved)).status).toBe(200);
  });
});

test("abuse 208: no target leads to the services that give cloud machines their keys", async () => {
  const addresses = ["169.254.169.254", "fe80::1", "168.63.129.16", "0.0.0.0", "::", "224.0.0.1"];
  expect(addresses.filter((address) => !isForbiddenAddress(address))).toEqual([]);
  expect(isForbiddenAddress("::ffff:169.254.169.254")).toBe(true);
  const allowed = ["127.0.0.1", "10.0.0.2", "192.168.1.5", "93.184.216.34", "2606:4700::1111"];
  expect(allowed.filter(isForbiddenAddress)).toEqual([]);
  const { signal } = new AbortController();
  const client = openHttpClient(kinds, { name: "The bucket", signal, explain: () => null });
  for (const host of ["169.254.169.254", "2852039166", "0xa9fea9fe", "[::ffff:a9fe:a9fe]"]) {
    const call = client.call({ method: "GET", url: `http://${host}/latest/meta-data/` });
    await expect(call).rejects.toMatchObject({ code: "bad_request" });
  }
  await client.close();
});

test("attempts after a failure are postponed at random, twice as long each time, and bounded", () => {
  expect([1, 2, 8, 9].map((attempts) => retryDelay(attempts, () => 0.5))).toEqual([
    30_000, 60_000, 3_600_000, 3_600_000,
  ]);
  expect(retryDelay(1, () => 0)).toBe(22_500);
  expect(retryDelay(10, () => 0)).toBe(null);
});

describe.each(dialects)("the stores on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;
  beforeAll(async () => {
    maker = await startDialect(dialect);
  }, 60_000);
  afterAll(() => maker?.close());
  beforeEach(async () => {
    const { database } = await maker.make();
    db = database.db;
    await migrate({ database, now: 0 });
  });

  const now = "2026-01-01T00:00:00.000Z";
  const content: store.TargetContent = {
    name: "Bucket",
    stored: { siteUrl: "https://copy.example", forms: "origin", settings: s3, publicKey: null },
    sealed: { keyId: "k1", ciphertext: "x" },
  };

  test("a delivery's state belongs to the settings that it began with", async () => {
    const id = await store.insertTarget(db, content, now);
    const row = await store.findTarget(db, id);
    expect(row).toMatchObject({ id, revision: 1, isEnabled: true, sent: null, ...content.stored });
    if (row === null) return;
    const progress = { release: 3, totalFiles: 5, doneFiles: 1 };
    expect(await store.updateProgress(db, row, progress)).toBe(true);
    await writeState(db, row, "state");
    await store.recordSent(db, row, { release: 3, at: now, files: 2, bytes: 5_000_000_000 });
    const sent = { release: 3, revision: 1, at: now, files: 2, bytes: 5_000_000_000 };
    expect(await store.findTarget(db, id)).toMatchObject({ sent, release: null });
    await store.updateTarget(db, id, content, { now, isElsewhere: false });
    expect(await store.updateProgress(db, row, progress)).toBe(false);
    await store.recordFailure(db, row, {
      release: 4,
      attempts: 1,
      error: "No.",
      nextAttemptAt: null,
    });
    await writeState(db, row, "other");
    expect(await store.findTarget(db, id)).toMatchObject({ sent, revision: 2, error: null });
    expect(await readState(db, id)).toBe("state");
    expect(await store.listCopyOrigins(db)).toEqual(["https://copy.example"]);
    await store.setTargetEnabled(db, id, { isEnabled: false, now });
    expect(await store.listCopyOrigins(db)).toEqual([]);
  });

  test("what a target holds is known by path, until it is elsewhere or removed", async () => {
    const id = await store.insertTarget(db, content, now);
    const other = await store.insertTarget(db, content, now);
    const paths = Array.from({ length: 1200 }, (_, index) => `files/${index}.txt`);
    await putMarks(
      db,
      id,
      paths.map((path) => ({ path, mark: "" })),
    );
    await putMarks(db, id, [{ path: paths[0] ?? "", mark: "a" }]);
    await putMarks(db, other, [{ path: "index.html", mark: "b" }]);
    expect((await readMarks(db, id)).get(paths[0] ?? "")).toBe("a");
    await deleteMarks(db, id, paths.slice(1));
    expect(await readMarks(db, id)).toEqual(new Map([[paths[0], "a"]]));
    await store.requestDelivery(db, id, { everything: true });
    expect(await readMarks(db, id)).toEqual(new Map([[paths[0], ""]]));
    await store.updateTarget(db, id, content, { now, isElsewhere: true });
    expect(await readMarks(db, id)).toEqual(new Map());
    await store.deleteTarget(db, other);
    expect(await readMarks(db, other)).toEqual(new Map());
  });
});
