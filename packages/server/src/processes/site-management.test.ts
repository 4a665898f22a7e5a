import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type AdminApp, adminPassword, startAdminApp } from "../../../../test/support/admin.ts";
import { tempFolder, type TempFolder } from "../../../../test/support/temp.ts";
import { createApiToken } from "../features/admin-auth/api-tokens.ts";
import { registerSiteManagement, registerSitesAvailability } from "../features/sites/api.ts";
import { openSiteRegistry, type SiteRegistry } from "../features/sites/registry.ts";
import { systemClock } from "../kit/clock.ts";
import { loadConfig } from "../platform/config.ts";
import { openDatabase } from "../platform/db/connect.ts";
import { migrate } from "../platform/db/migrate.ts";
import { createLog } from "../platform/log.ts";
import { instancePaths } from "../platform/paths.ts";
import { runCommand } from "./cli.ts";
import { type CommandProcesses, readAnswer } from "./command-process.ts";
import { listenOnSocket } from "./shared-port.ts";
import { canManageSites, makeSiteManagement } from "./site-management.ts";
import { makeSitesClient, type SitesClient } from "./sites-client.ts";
import { makeSitesServer, type SitesServer } from "./sites-server.ts";

const log = createLog({ level: "silent", name: "test" });
let folder: TempFolder;
let registry: SiteRegistry;
let known: SitesServer;
let client: SitesClient;
let app: AdminApp;
let cookie: string;

const keyring = { active: "k1", keys: new Map([["k1", Buffer.alloc(32, 1)]]) };

/** The arguments of the commands so far. */
const ran: (readonly string[])[] = [];

/** Runs commands as web does, but in this process. */
const commands: Pick<CommandProcesses, "run"> = {
  async run(args, { onProgress }) {
    ran.push(args);
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    stderr.on("data", (chunk) => {
      for (const line of String(chunk).split("\n")) {
        if (line.startsWith("progress: ")) onProgress?.(line.slice(10));
      }
    });
    const env = { VITRINE_DIR: folder.path };
    await runCommand(args, env, { stdin: Readable.from([]), stdout, stderr });
    stdout.end();
    return readAnswer(await text(stdout));
  },
};

async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(file, JSON.stringify(value));
}

const dirOf = (id: string) => join(folder.path, "sites", id);

/** A site as it is after its installation, as far as these tests look. */
async function addSite(id: string): Promise<void> {
  const paths = instancePaths(dirOf(id));
  await mkdir(paths.data, { recursive: true });
  await writeJson(paths.configFile, { baseUrl: `https://${id}.home.example`, site: { id } });
  await registry.reserve({
    id,
    domain: `${id}.home.example`,
    baseUrl: `https://${id}.home.example`,
  });
  await registry.activate(id);
}

beforeAll(async () => {
  folder = await tempFolder();
  const config = loadConfig({ VITRINE_DIR: folder.path });
  const { paths } = config;
  await mkdir(paths.data, { recursive: true });
  await writeJson(paths.configFile, { baseUrl: "https://home.example" });
  await writeJson(paths.installLock, {});
  registry = await openSiteRegistry({
    paths,
    databaseUrl: null,
    clock: systemClock,
    ownHost: "home.example",
  });
  known = makeSitesServer({
    findRoute: (domain) => registry.findRoute(domain),
    wake: async () => "",
    listAwake: () => ["anna"],
    listAwakeEverywhere: async () => ["anna"],
    node: "here",
    jobs: registry.jobs,
    registry,
    log,
  });
  const socket = join(folder.path, "sites.sock");
  await listenOnSocket(known.server, socket);
  client = makeSitesClient(socket, { waitMs: 0 });
  const own = { paths, baseUrl: "https://home.example", storage: null };
  const deps = { clock: systemClock, log, commands, client, keyring };
  const sites = makeSiteManagement({ config: own, ...deps });
  app = await startAdminApp({
    register(server, { guard, assertPassword }) {
      registerSitesAvailability(server, { guard, isAvailable: true });
      registerSiteManagement(server, { guard, assertPassword, sites });
    },
  });
  cookie = await app.signIn();
}, 60_000);
afterAll(async () => {
  await app?.cleanup();
  client?.close();
  known?.close();
  known?.server.close();
  await registry?.close();
  await folder?.remove();
});

beforeEach(async () => {
  for (const { id } of await registry.list()) await registry.remove(id);
  await addSite("anna");
  await addSite("bob");
});

async function ask(path: string, body?: object, headers: Record<string, string> = { cookie }) {
  const response = await app.ask(`/api/adminsites/${path}`, {
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const { data, error } = response.json() as unknown as {
    data: Record<string, unknown> & { items: Record<string, unknown>[] };
    error: { code: string; message: string; fields?: Record<string, string> } | null;
  };
  return { status: response.status, data, error };
}

test("sites are listed with their states, and one has all of its domains", async () => {
  const { data } = await ask("list?q=an");
  expect(data).toMatchObject({ total: 1, page: 1, domainSuffix: ".home.example" });
  expect(data.items).toMatchObject([
    {
      name: "anna",
      status: "active",
      address: "https://anna.home.example",
      isAwake: true,
      isBusy: false,
      domainCount: 1,
    },
  ]);
  expect((await ask("list?perPage=1&page=2")).data).toMatchObject({
    total: 2,
    items: [{ name: "bob", isAwake: false }],
  });
  expect((await ask("get?name=anna")).data).toMatchObject({ domains: ["anna.home.example"] });
  expect((await ask("get?name=nobody")).status).toBe(404);
  expect((await ask("list?perPage=101")).status).toBe(422);
  expect((await ask("available")).data).toEqual({ isAvailable: true });
});

test("domains are added, made the main one, and removed; errors name the field", async () => {
  const { database } = instancePaths(dirOf("anna"));
  const opened = openDatabase({ url: null, file: database });
  await migrate({ database: opened, now: 0 });
  const added = await ask("add-domain", { name: "anna", domain: " Berg.Example. " });
  expect(added.data).toMatchObject({ domains: ["anna.home.example", "berg.example"] });
  const errors = {
    "https://berg.example": [422, "must be a domain"],
    "": [422, "is missing"],
    "bob.home.example": [409, "belongs to the site “bob”"],
    "home.example": [409, "installation's own site"],
  };
  for (const [domain, [status, words]] of Object.entries(errors)) {
    const { status: got, error } = await ask("add-domain", { name: "anna", domain });
    expect([domain, got]).toEqual([domain, status]);
    expect(error?.fields?.["domain"]).toContain(words);
  }
  const main = await ask("set-main-domain", { name: "anna", domain: "berg.example" });
  expect(main.data).toMatchObject({
    address: "https://berg.example",
    domains: ["berg.example", "anna.home.example"],
  });
  const settings = JSON.parse(await readFile(join(dirOf("anna"), "vitrine.json"), "utf8"));
  expect(settings).toMatchObject({ baseUrl: "https://berg.example" });
  const refused = await ask("remove-domain", { name: "anna", domain: "berg.example" });
  expect([refused.status, refused.error?.code]).toEqual([409, "in_use"]);
  const removed = await ask("remove-domain", { name: "anna", domain: "anna.home.example" });
  expect(removed.data).toMatchObject({ domains: ["berg.example"] });
  expect((await ask("add-domain", { name: "nobody", domain: "x.example" })).status).toBe(404);
  await opened.close();
});

test("a site is suspended, resumed, and limited; its usage is measured again after a change", async () => {
  expect((await ask("suspend", { name: "anna" })).data).toMatchObject({ status: "suspended" });
  expect((await ask("list?status=suspended")).data).toMatchObject({ total: 1 });
  expect((await ask("resume", { name: "anna" })).data).toMatchObject({ status: "active" });
  const before = await ask("usage?names=anna,bob,nobody");
  expect(before.data.items).toMatchObject([
    { name: "anna", diskMiB: null, activeAt: expect.stringMatching(/^20/) },
    { name: "bob", diskMiB: null },
  ]);
  expect(before.data.items[0]?.["diskBytes"]).toBeGreaterThan(0);
  await ask("limit", { name: "anna", diskMiB: 500 });
  expect((await ask("usage?names=anna")).data.items).toMatchObject([{ diskMiB: 500 }]);
  await ask("limit", { name: "anna", diskMiB: null });
  expect((await ask("usage?names=anna")).data.items).toMatchObject([{ diskMiB: null }]);
  for (const diskMiB of [0, -1, 1.5, "none"]) {
    const { status, error } = await ask("limit", { name: "anna", diskMiB });
    expect([status, Object.keys(error?.fields ?? {})]).toEqual([422, ["diskMiB"]]);
  }
  const many = Array.from({ length: 26 }, (_, at) => `s${at}`).join(",");
  expect((await ask(`usage?names=${many}`)).status).toBe(422);
  expect((await ask("usage?names=../anna")).status).toBe(422);
});

test("what can't be created is refused at its field, and leaves neither a site nor a job", async () => {
  const site = { name: "carla", owner: "Carla", diskMiB: null };
  const refusals = [
    [{ ...site, name: "bob" }, 409, "name"],
    [{ ...site, domain: "bob.home.example" }, 409, "domain"],
    [{ ...site, domain: "home.example" }, 409, "domain"],
    [{ ...site, domain: "not a domain" }, 422, "domain"],
    [{ ...site, name: "Carla" }, 422, "name"],
    [{ ...site, name: "../carla" }, 422, "name"],
    [{ ...site, name: "--yes" }, 422, "name"],
    [{ ...site, owner: " " }, 422, "owner"],
    [{ ...site, timeZone: "Nowhere/City" }, 422, "timeZone"],
    [{ ...site, diskMiB: 0 }, 422, "diskMiB"],
  ] as const;
  for (const [body, status, field] of refusals) {
    const { status: got, error } = await ask("create", body);
    expect([body, got, Object.keys(error?.fields ?? {})]).toEqual([body, status, [field]]);
  }
  // An address has no domains below it.
  const { configFile } = instancePaths(folder.path);
  await writeJson(configFile, { baseUrl: "http://127.0.0.1:3000" });
  const { status, error } = await ask("create", site);
  expect([status, error?.fields]).toEqual([422, { domain: "is missing" }]);
  await writeJson(configFile, { baseUrl: "https://home.example" });
  expect((await ask("jobs")).data.items).toEqual([]);
  expect(await readdir(join(folder.path, "sites"))).not.toContain("carla");
  expect((await registry.list()).map(({ id }) => id)).toEqual(["anna", "bob"]);
});

test("abuse 233: a site is removed only with its name and the password, even after an interruption", async () => {
  const name = "anna";
  const remove = (body: object) => ask("remove", { name, ...body });
  const refusals = [
    [{ confirmName: "bob", password: adminPassword }, "confirmName"],
    [{ confirmName: name }, "password"],
    [{ confirmName: name, password: "" }, "password"],
    [{ confirmName: name, password: "a guess" }, "password"],
  ] as const;
  for (const [body, field] of refusals) {
    const { status, error } = await remove(body);
    expect([body, status, Object.keys(error?.fields ?? {})]).toEqual([body, 422, [field]]);
  }
  expect(await registry.get(name)).toMatchObject({ status: "active" });
  // As it is after a kill in the middle of a removal.
  await registry.suspend(name);
  await mkdir(join(folder.path, `sites/.removed-${name}-01J00000000000000000000000`));
  await mkdir(join(folder.path, `sites/.removed-${name}-b-01J00000000000000000000000`));
  await rm(dirOf(name), { recursive: true });
  expect((await remove({ confirmName: name, password: adminPassword })).status).toBe(202);
  const states = async () =>
    (await ask("jobs")).data.items.map(({ kind, state }) => [kind, state].join(" "));
  await expect.poll(states).toEqual(["remove done"]);
  expect((await ask("get?name=anna")).status).toBe(404);
  const left = await readdir(join(folder.path, "sites"));
  expect(left.filter((entry) => entry.startsWith(".removed-"))).toEqual([
    `.removed-${name}-b-01J00000000000000000000000`,
  ]);
  await ask("dismiss", { name });
  expect(await states()).toEqual([]);
});

test("abuse 234: guesses of the password count as failed sign-ins", async () => {
  const guess = () =>
    ask(
      "remove",
      { name: "bob", confirmName: "bob", password: "a guess" },
      { cookie, "x-forwarded-for": "203.0.113.9" },
    );
  const statuses = [];
  for (let at = 0; at < 6; at += 1) statuses.push((await guess()).status);
  expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
  expect(await registry.get("bob")).toMatchObject({ status: "active" });
});

test("abuse 234: values can't become options of the command", async () => {
  const site = { name: "carla", owner: "--dir=/elsewhere", diskMiB: 5 };
  await ask("create", { ...site, domain: "bob.home.example", timeZone: "Europe/Stockholm" });
  expect(ran.at(-1)).toEqual([
    "site",
    "--progress",
    "create",
    "carla",
    "--owner=--dir=/elsewhere",
    "--domain=bob.home.example",
    "--time-zone=Europe/Stockholm",
    "--disk-mib=5",
  ]);
  const before = ran.length;
  for (const domain of ["--main", "-x.example", "a.example --main"]) {
    expect((await ask("add-domain", { name: "bob", domain })).status).toBe(422);
  }
  expect(ran).toHaveLength(before);
});

test("abuse 233: only a session of the admin manages sites, from the site's own pages", async () => {
  const { token } = await createApiToken({
    db: app.db,
    clock: app.clock,
    name: "test",
    scopes: ["read", "write"],
  });
  const reads = ["available", "list", "get?name=bob", "usage?names=bob", "jobs"];
  const changes = ["create", "remove", "suspend", "resume", "limit", "add-domain", "dismiss"];
  const body = { name: "bob" };
  const outsiders = [
    {},
    { authorization: `Bearer ${token}` },
    { cookie: "vitrine_admin=made-up" },
    { cookie, origin: "https://bob.home.example", "sec-fetch-site": "same-site" },
  ] as Record<string, string>[];
  for (const headers of outsiders) {
    for (const path of reads) {
      const { status } = await ask(path, undefined, headers);
      expect([path, headers, status]).toEqual([path, headers, headers["origin"] ? 403 : 401]);
    }
    for (const path of changes) {
      const { status } = await ask(path, body, headers);
      expect([path, headers, status]).toEqual([path, headers, headers["origin"] ? 403 : 401]);
    }
  }
  expect(await registry.get("bob")).toMatchObject({ status: "active" });
});

test("sites are managed on the installation's own site only, where the front serves them", () => {
  const own = loadConfig({ VITRINE_DIR: folder.path });
  expect(canManageSites(own, "/web.sock")).toBe(true);
  expect(canManageSites(own, null)).toBe(false);
  // Also on several nodes.
  const storage = {
    STORAGE_URL: "s3://bucket",
    AWS_ACCESS_KEY_ID: "a",
    AWS_SECRET_ACCESS_KEY: "b",
  };
  const node = { VITRINE_DIR: folder.path, DATABASE_URL: "postgres://localhost/x", ...storage };
  expect(canManageSites(loadConfig(node), "/web.sock")).toBe(true);
  expect(canManageSites(loadConfig({ VITRINE_DIR: dirOf("bob") }), "/web.sock")).toBe(false);
});
