import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminClient, signIn as signInTo } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { makeSessions } from "../../packages/server/src/features/admin-auth/sessions.ts";
import { makePreviewTickets } from "../../packages/server/src/features/admin-auth/ticket.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { instancePaths } from "../../packages/server/src/platform/paths.ts";
import { loadKeys } from "../../packages/server/src/platform/secrets.ts";
import type { SiteJob } from "../../packages/server/src/features/sites/schema.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { tempFolder } from "../support/temp.ts";

/** One installation with its own site, `anna`, and `bob`. */
let instance: TestInstance;
/** The owner of the installation's own site. */
let owner: AdminClient;
const links = new Map<string, string>();
const sites = ["anna", "bob"] as const;

interface Answer {
  status: number;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Asks for a host, as a browser whose name servers know it. */
async function ask(
  host: string,
  path: string,
  {
    headers = {},
    method = "GET",
    body,
  }: { headers?: Record<string, string>; method?: string; body?: string } = {},
): Promise<Answer> {
  const { port } = new URL(instance.baseUrl);
  const call = request({
    host: "127.0.0.1",
    port,
    path,
    method,
    agent: false,
    headers: { host: `${host}:${port}`, ...headers },
  });
  call.end(body);
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const { statusCode: status = 0, headers: given } = response;
  return { status, headers: given, body: await text(response) };
}

const hostOf = (site: string) => `${site}.localhost`;
const dirOf = (site: string) => join(instance.dir, "sites", site);

/** The cookie of a site's owner. */
async function signIn(site: string): Promise<string> {
  const { pathname } = new URL(links.get(site) ?? "");
  const { status, headers } = await ask(hostOf(site), pathname);
  expect(status).toBe(302);
  return String(headers["set-cookie"]?.[0]).split(";")[0] ?? "";
}

const isAwake = async (site: string) =>
  (await instance.vitrine(["site", "show", site]))["isAwake"] as boolean;

/** The processes of a kind below the process of sites. */
function pidsOf(name: "sites" | "web" | "runner", site?: string): number[] {
  const all = execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" }).split("\n");
  const mine = all.filter((line) => {
    if (!new RegExp(`/processes/${name}\\.(?:ts|mjs)\\b`).test(line)) return false;
    const pid = Number(line.trim().split(" ", 1)[0]);
    try {
      const env = execFileSync("cat", [`/proc/${pid}/environ`], { encoding: "utf8" });
      const dir = site === undefined ? instance.dir : dirOf(site);
      return env.split("\0").includes(`VITRINE_DIR=${dir}`);
    } catch {
      return false;
    }
  });
  return mine.map((line) => Number(line.trim().split(" ", 1)[0]));
}

function kill(name: "sites" | "web", site?: string): void {
  const [pid] = pidsOf(name, site);
  if (pid === undefined) throw new Error(`there is no process ${name}`);
  process.kill(pid, "SIGKILL");
}

async function createByCommand(site: string): Promise<string> {
  const name = `Owner of ${site}`;
  return String((await instance.vitrine(["site", "create", site, "--owner", name]))["link"]);
}

/** Creates a site as the admin pages do, which show its link once it is there. */
async function createOnPage(name: string): Promise<string> {
  const body = { name, owner: `Owner of ${name}`, diskMiB: 2000 };
  const started = await owner.post<SiteJob>("/api/adminsites/create", body);
  expect(started.data).toMatchObject({ name, state: "running", link: null });
  expect(await owner.post("/api/adminsites/create", body)).toMatchObject({
    error: { code: "locked" },
  });
  return eventually(async () => {
    const { data } = await owner.get<{ items: SiteJob[] }>("/api/adminsites/jobs");
    expect(data.items).toMatchObject([{ name, kind: "create", state: "done", error: null }]);
    return String(data.items[0]?.link);
  }, 120_000);
}

beforeAll(async () => {
  instance = await startInstance({ config: { sites: { awake: 2, idleMinutes: 5 } } });
  owner = await signInTo(instance);
  for (const site of sites) {
    const link = site === "anna" ? await createByCommand(site) : await createOnPage(site);
    links.set(site, link);
    // Nothing but what a test asks for.
    const file = join(dirOf(site), "vitrine.json");
    const settings = JSON.parse(await readFile(file, "utf8")) as object;
    await writeFile(file, JSON.stringify({ ...settings, qa: { intervalMinutes: 0 } }));
  }
}, 300_000);
afterAll(() => instance?.[Symbol.asyncDispose]());

test("each host gets its own site; files come from the front, without processes of the site", async () => {
  for (const site of sites) {
    const page = await ask(hostOf(site), "/");
    expect(page.status).toBe(200);
    expect(page.body).toContain(`http://${hostOf(site)}`);
  }
  expect((await ask("localhost", "/")).body).not.toContain("anna.localhost");
  expect((await ask("nobody.example", "/")).status).toBe(403);
  expect(await isAwake("anna")).toBe(false);
  const health = await ask(hostOf("anna"), "/api/health");
  expect(JSON.parse(health.body)).toMatchObject({ ok: true });
  expect(await isAwake("anna")).toBe(true);
}, 120_000);

test("abuse 215: a session, a link, a token, and a path of one site are useless at another", async () => {
  const cookie = await signIn("anna");
  const check = (host: string, headers: Record<string, string>) =>
    ask(host, "/api/adminauth/check", { headers });
  expect((await check(hostOf("anna"), { cookie })).status).toBe(204);
  for (const host of [hostOf("bob"), "localhost"]) {
    expect((await check(host, { cookie })).status).toBe(401);
    const { pathname } = new URL(links.get("anna") ?? "");
    expect((await ask(host, pathname)).headers.location).toContain("e=1");
    for (const path of [
      "/devconsole/runs",
      "/_preview/01J00000000000000000000000/",
      "/admin/runs",
    ]) {
      expect((await ask(host, path, { headers: { cookie } })).status).not.toBe(200);
    }
  }
  const made = await instance.vitrine([
    "--site",
    "anna",
    "api-token",
    "create",
    "test",
    "--scopes",
    "read,write",
  ]);
  const authorization = `Bearer ${String(made["token"])}`;
  const ping = (host: string) => ask(host, "/api/admin/ping", { headers: { authorization } });
  expect([(await ping(hostOf("anna"))).status, (await ping(hostOf("bob"))).status]).toEqual([
    200, 401,
  ]);
  // A host that says one site and an address, or a forwarding header, that says another.
  const forwarded = { "x-forwarded-host": hostOf("bob"), cookie };
  expect((await check(hostOf("anna"), forwarded)).status).toBe(204);
  for (const path of ["/../bob/data/vitrine.db", "/..%2fbob/vitrine.json", "/media/../../bob/x"]) {
    expect((await ask(hostOf("anna"), path)).body).not.toMatch(/SQLite|"site"/);
  }
  // What changes something has to come from the site's own pages, also where both are one "site".
  const foreign = { origin: `http://${hostOf("bob")}`, "sec-fetch-site": "same-site", cookie };
  const json = { "content-type": "application/json", ...foreign };
  const options = { method: "POST", headers: json, body: "{}" };
  expect((await ask(hostOf("anna"), "/api/adminauth/logout", options)).status).toBe(403);
}, 120_000);

test("abuse 215: an upload and a preview's ticket of one site are useless at another", async () => {
  const cookies = { anna: await signIn("anna"), bob: await signIn("bob") };
  const tus = { "tus-resumable": "1.0.0" };
  const begun = await ask(hostOf("anna"), "/api/media/uploads", {
    method: "POST",
    headers: { ...tus, "upload-length": "10", cookie: cookies.anna },
  });
  expect(begun.status).toBe(201);
  const { pathname } = new URL(String(begun.headers.location), instance.baseUrl);
  const offset = (site: (typeof sites)[number], cookie: string) =>
    ask(hostOf(site), pathname, { method: "HEAD", headers: { ...tus, cookie } });
  expect((await offset("anna", cookies.anna)).status).toBe(200);
  expect((await offset("bob", cookies.bob)).status).toBe(404);
  expect((await offset("bob", cookies.anna)).status).toBe(401);
  // Signed with the key of one site, for a session there that is alive.
  const paths = instancePaths(dirOf("anna"));
  const { db, close } = openDatabase({ url: null, file: paths.database });
  const options = { db, clock: systemClock };
  const session = await makeSessions(options).find(cookies.anna.split("=")[1] ?? "");
  const { preview: key } = await loadKeys(paths.keys);
  const run = "01J00000000000000000000000";
  const ticket = makePreviewTickets({ ...options, key }).issue(run, session?.idHash ?? "");
  await close();
  const styles = `/_preview/${run}/~${ticket}/style.css`;
  // There is no such run, which only the ticket's own site tells.
  expect((await ask(hostOf("anna"), styles)).status).toBe(404);
  for (const host of [hostOf("bob"), "localhost"]) {
    expect((await ask(host, styles)).status).toBe(401);
  }
}, 120_000);

test("abuse 233: the owner of a further site manages no sites, here or there", async () => {
  const { data } = await owner.get<{ items: object[] }>("/api/adminsites/list?q=bob");
  expect(data.items).toMatchObject([{ name: "bob", status: "active", domainCount: 1 }]);
  const cookie = await signIn("anna");
  const own = (path: string) => ask(hostOf("anna"), path, { headers: { cookie } });
  const available = await own("/api/adminsites/available");
  expect(JSON.parse(available.body)).toMatchObject({ data: { isAvailable: false } });
  expect((await own("/admin")).body).not.toContain("/admin/sites");
  for (const path of ["/admin/sites", "/api/adminsites/list", "/api/adminsites/jobs"]) {
    expect([path, (await own(path)).status]).toEqual([path, 404]);
  }
  const headers = { cookie, "content-type": "application/json" };
  const removal = { method: "POST", headers, body: '{"name":"bob","confirmName":"bob"}' };
  for (const [host, status] of [
    [hostOf("anna"), 404],
    ["localhost", 401],
  ] as const) {
    expect((await ask(host, "/api/adminsites/remove", removal)).status).toBe(status);
  }
  expect((await ask(hostOf("bob"), "/")).status).toBe(200);
}, 60_000);

test("abuse 219 and 240: page code of one site reads nothing of another", async () => {
  const content = join(dirOf("anna"), "content");
  const secret = join(dirOf("bob"), "data/keys/settings.key");
  // Page code runs in the sandbox, which has neither its own data nor that of others.
  const page = `---
import { existsSync, readdirSync, readFileSync } from "node:fs";
const attempt = (work) => { try { work(); return true; } catch { return false; } };
const seen = ${JSON.stringify([secret, dirOf("bob"), instance.paths.keys])}.map((path) =>
  existsSync(path) || attempt(() => readFileSync(path)) || attempt(() => readdirSync(path)));
---
<html lang="en"><head><title>Look</title></head><body><h1>seen {JSON.stringify(seen)}</h1></body></html>
`;
  await writeFile(join(content, "app/src/pages/look.astro"), page);
  execFileSync("git", ["-C", content, "add", "-A"]);
  const author = ["-c", "user.name=Anna", "-c", "user.email=anna@example.com"];
  execFileSync("git", ["-C", content, ...author, "commit", "-qm", "Look"]);
  await instance.vitrine(["--site", "anna", "rebuild"]);
  await eventually(async () => {
    const { body } = await ask(hostOf("anna"), "/look/");
    expect(body).toContain("seen [false,false,false]");
  }, 120_000);
}, 240_000);

test("a command wakes the site that it has left something to do, and domains lead to the main one", async () => {
  await instance.vitrine(["site", "domain", "add", "bob", "bob.example"]);
  await eventually(async () => {
    const { status, headers } = await ask("bob.example", "/about/?a=1");
    expect([status, headers.location]).toEqual([
      308,
      `${instance.baseUrl.replace("localhost", hostOf("bob"))}/about/?a=1`,
    ]);
  });
  await instance.vitrine(["--site", "bob", "rebuild"]);
  const database = new DatabaseSync(join(dirOf("bob"), "data/vitrine.db"), { readOnly: true });
  await eventually(() => {
    const rows = database.prepare("select status from rebuild_request").all();
    expect(rows).toEqual([{ status: "done" }]);
  }, 120_000);
  database.close();
  const clash = instance.vitrine(["site", "domain", "add", "anna", "bob.example"]);
  await expect(clash).rejects.toThrow("belongs to the site");
  await instance.vitrine(["site", "domain", "remove", "bob", "bob.example"]);
  await eventually(async () => expect((await ask("bob.example", "/")).status).toBe(403));
}, 180_000);

test("abuse 218: killed processes of sites are replaced, and nothing else notices", async () => {
  await ask(hostOf("anna"), "/api/health");
  kill("web", "anna");
  const page = await ask(hostOf("bob"), "/");
  expect(page.status).toBe(200);
  expect((await ask("localhost", "/api/health")).status).toBe(200);
  await eventually(async () => expect((await ask(hostOf("anna"), "/api/health")).status).toBe(200));
  kill("sites");
  // Known hosts are served meanwhile, and sites are woken by the next process.
  expect((await ask(hostOf("anna"), "/")).status).toBe(200);
  await eventually(async () => {
    expect((await ask(hostOf("bob"), "/api/health")).status).toBe(200);
    expect(pidsOf("sites")).toHaveLength(1);
    expect(pidsOf("web", "anna").length).toBeLessThanOrEqual(1);
  }, 60_000);
}, 180_000);

test("abuse 215: a suspended site answers nobody, and nothing of it runs; others go on", async () => {
  await ask(hostOf("bob"), "/api/health");
  await instance.vitrine(["site", "suspend", "bob"]);
  await eventually(async () => {
    const { status, body } = await ask(hostOf("bob"), "/", { headers: { accept: "text/html" } });
    expect([status, body]).toEqual([503, expect.stringContaining("isn't available")]);
    expect(pidsOf("web", "bob")).toEqual([]);
  });
  expect((await ask(hostOf("bob"), "/api/health")).status).toBe(503);
  expect((await ask(hostOf("anna"), "/")).status).toBe(200);
  const tls = (domain: string, headers = {}) =>
    ask("127.0.0.1", `/api/tls-allowed?domain=${domain}`, { headers });
  expect((await tls("anna.localhost")).status).toBe(200);
  expect((await tls("bob.localhost")).status).toBe(404);
  expect((await tls("made-up.example")).status).toBe(404);
  expect((await tls("anna.localhost", { "x-forwarded-for": "203.0.113.1" })).status).toBe(404);
  await instance.vitrine(["site", "resume", "bob"]);
  await eventually(async () => expect((await ask(hostOf("bob"), "/")).status).toBe(200));
}, 120_000);

test("a site moves as a file: exported, removed, and imported under another name", async () => {
  const file = join(instance.dir, "bob.tar.gz");
  await instance.vitrine(["site", "export", "bob", file]);
  await expect(instance.vitrine(["site", "remove", "bob"])).rejects.toThrow("--yes");
  await instance.vitrine(["site", "remove", "bob", "--yes"]);
  expect(await readdir(join(instance.dir, "sites"))).toEqual(["anna"]);
  await eventually(async () =>
    expect((await ask(hostOf("bob"), "/")).body).not.toContain("bob.localhost"),
  );
  const args = ["site", "import", "robert", file, "--domain", "robert.localhost"];
  expect(await instance.vitrine(args)).toMatchObject({ status: "active" });
  const settings = await readFile(join(dirOf("robert"), "vitrine.json"), "utf8");
  expect(JSON.parse(settings)).toMatchObject({ site: { id: "robert" } });
  // Its pages name the new address once they are built again, for which it is woken.
  await eventually(async () => {
    const { body } = await ask(hostOf("robert"), "/");
    expect(body).toContain(`rel="canonical" href="http://${hostOf("robert")}`);
  }, 120_000);
}, 240_000);

test("a site moves to another installation and stays here, suspended; a failed move leaves it as it was", async () => {
  const other = await tempFolder();
  const args = ["site", "move", "robert", other.path];
  await expect(instance.vitrine(args)).rejects.toThrow("Nothing is installed");
  // As much of an installation as a move needs.
  await mkdir(join(other.path, "data"));
  await writeFile(join(other.path, "vitrine.json"), '{"baseUrl":"http://localhost:4000"}');
  await writeFile(join(other.path, "data/install.lock"), "{}");
  const { site, from } = (await instance.vitrine(args)) as Record<"site" | "from", object>;
  expect(site).toMatchObject({ id: "robert", status: "active", movedTo: null });
  expect(from).toMatchObject({ id: "robert", status: "suspended", movedTo: other.path });
  expect(await readdir(join(other.path, "sites/robert"))).toContain("content");
  // Nothing that has its keys is left beside it.
  const left = [dirOf(""), join(other.path, "data"), instance.paths.data];
  for (const dir of left) expect((await readdir(dir)).join()).not.toMatch(/moving|\.part/);
  await eventually(async () => expect((await ask(hostOf("robert"), "/")).status).toBe(503));
  await instance.vitrine(["site", "resume", "robert"]);
  await expect(instance.vitrine(args)).rejects.toThrow("There is a site called");
  expect(await instance.vitrine(["site", "show", "robert"])).toMatchObject({ status: "active" });
  await other.remove();
}, 180_000);
