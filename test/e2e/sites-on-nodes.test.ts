import { once } from "node:events";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SiteJob } from "../../packages/server/src/features/sites/schema.ts";
import type { ProjectDetail } from "../../packages/server/src/features/projects/schema.ts";
import { signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import type { TestInstance } from "../support/instance.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";

/** Builds, one after the other, on a busy machine. */
const timeoutMs = 300_000;
const host = "anna.localhost";

let nodes: Nodes;
let one: TestInstance;
let two: TestInstance;
/** What the site's address says of a port: that of the node where it was created. */
let port: string;
let cookie: string;
let project: ProjectDetail;

interface Answer {
  status: number;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Asks a node for the site, as its owner or as a visitor. */
async function ask(
  node: TestInstance,
  path: string,
  {
    method = "GET",
    body,
    isOwner = false,
  }: { method?: string; body?: object; isOwner?: boolean } = {},
): Promise<Answer> {
  const json = body ? { "content-type": "application/json" } : {};
  const call = request({
    host: "127.0.0.1",
    port: new URL(node.baseUrl).port,
    path,
    method,
    agent: false,
    headers: { host: `${host}:${port}`, ...(isOwner && { cookie }), ...json },
  });
  call.end(body && JSON.stringify(body));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const { statusCode: status = 0, headers } = response;
  return { status, headers, body: await text(response) };
}

const dirAt = (node: TestInstance) => join(node.dir, "sites", "anna");

/** Waits until a page of the site has this text at a node. */
const shows = (node: TestInstance, path: string, wanted: string) =>
  eventually(async () => {
    const { status, body } = await ask(node, path);
    expect([status, body.includes(wanted)]).toEqual([200, true]);
  }, 120_000);

beforeAll(async () => {
  nodes = await startNodes();
  const options = { readyMs: 150_000 };
  one = await nodes.add(options);
  two = await nodes.add(options);
  ({ port } = new URL(one.baseUrl));
}, 300_000);

afterAll(async () => {
  await nodes?.[Symbol.asyncDispose]();
});

/** Creates the site on the admin page of one node, and follows that on the page of the other. */
async function createOnPage(): Promise<string> {
  const here = await signIn(one);
  const { cookie: session } = here;
  const body = { name: "anna", owner: "Anna Berg", diskMiB: null };
  const started = await here.post<SiteJob>("/api/adminsites/create", body);
  expect(started.data).toMatchObject({ name: "anna", state: "running", link: null });
  const { node } = started.data;
  expect(node).toContain(one.dir);
  const onTwo = async (path: string, sent?: object) => {
    const headers = { cookie: session, "content-type": "application/json" };
    const init = sent === undefined ? {} : { method: "POST", body: JSON.stringify(sent) };
    const response = await fetch(`${two.baseUrl}/api/adminsites/${path}`, { headers, ...init });
    return (await response.json()) as { data: { items: SiteJob[] } };
  };
  const link = await eventually(async () => {
    const [job] = (await onTwo("jobs")).data.items;
    expect(job).toMatchObject({ name: "anna", kind: "create", state: "done", error: null, node });
    return String(job?.link);
  }, 150_000);
  await onTwo("dismiss", { name: "anna" });
  expect((await here.get<{ items: SiteJob[] }>("/api/adminsites/jobs")).data.items).toEqual([]);
  return link;
}

test(
  "abuse 230 and 244: a site that is created on one node's page is served by another, with the same keys",
  async () => {
    const link = await createOnPage();
    await shows(two, "/", `http://${host}`);
    for (const key of ["settings.key", "runner.key", "preview.key"]) {
      const file = join("data/keys", key);
      const [here, there] = [dirAt(one), dirAt(two)].map((dir) =>
        readFile(join(dir, file), "utf8"),
      );
      expect(await there).toBe(await here);
    }
    const { headers, status } = await ask(two, new URL(link).pathname);
    expect(status).toBe(302);
    cookie = String(headers["set-cookie"]?.[0]).split(";")[0] ?? "";
  },
  timeoutMs,
);

test(
  "abuse 231: what is published on one node is live on another, where the site sleeps",
  async () => {
    await shows(one, "/", `http://${host}`);
    const listed = JSON.parse(
      (await ask(two, "/api/adminprojects/list", { isOwner: true })).body,
    ) as {
      data: { items: ProjectDetail[] };
    };
    project = listed.data.items[0] as ProjectDetail;
    const { id, version } = project;
    const body = { id, version, summary: "Published by the second node." };
    const saved = await ask(two, "/api/adminprojects/save", {
      method: "POST",
      body,
      isOwner: true,
    });
    expect(JSON.parse(saved.body)).toMatchObject({ ok: true });
    for (const node of [two, one]) {
      await shows(node, `/projects/${project.slug}/`, "Published by the second node.");
    }
    expect(one.log()).not.toContain("site is awake");
  },
  timeoutMs,
);

test(
  "abuse 230: a site outlives the disk of the node where it was created",
  async () => {
    await one.stop();
    await rm(one.dir, { recursive: true });
    await mkdir(one.dir);
    await one.vitrine(["install", "--yes"]);
    await one.start();
    await shows(one, `/projects/${project.slug}/`, "Published by the second node.");
    // The session and the site's own process at this node.
    expect((await ask(one, "/api/adminauth/check", { isOwner: true })).status).toBe(204);
    expect(await one.vitrine(["site", "show", "anna"])).toMatchObject({ isAwake: true });
  },
  timeoutMs,
);

test(
  "settings that one node changes, and a suspension, hold on all nodes",
  async () => {
    await two.vitrine(["site", "limit", "anna", "--disk-mib", "700"]);
    await eventually(async () => {
      const settings = JSON.parse(
        await readFile(join(dirAt(one), "vitrine.json"), "utf8"),
      ) as object;
      expect(settings).toMatchObject({ limits: { diskMiB: 700 } });
    });
    await one.vitrine(["site", "suspend", "anna"]);
    for (const node of [one, two]) {
      await eventually(async () => expect((await ask(node, "/")).status).toBe(503));
    }
    await two.vitrine(["site", "resume", "anna"]);
    for (const node of [one, two]) {
      await eventually(async () => expect((await ask(node, "/")).status).toBe(200));
    }
  },
  timeoutMs,
);

test(
  "abuse 232: a removed site leaves nothing on any node, in the database, or in the object store",
  async () => {
    const countObjects = async () => (await nodes.store.objects("instance/sites/anna/")).size;
    expect(await countObjects()).toBeGreaterThan(10);
    await two.vitrine(["site", "remove", "anna", "--yes"]);
    for (const node of [one, two]) {
      await eventually(async () => {
        // The installation's own, as for all names that end in .localhost.
        expect((await ask(node, "/")).body).not.toContain(host);
        expect(await readdir(join(node.dir, "sites"))).toEqual([]);
      }, 30_000);
    }
    await eventually(async () => expect(await countObjects()).toBe(0), 60_000);
  },
  timeoutMs,
);
