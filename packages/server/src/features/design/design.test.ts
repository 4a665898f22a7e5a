import { mkdir, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { adminCookie } from "../../../../../test/support/admin-session.ts";
import { type FakeClock, fakeClock } from "../../../../../test/support/clock.ts";
import { makeTestDatabase } from "../../../../../test/support/database.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import {
  type ModelServer,
  type Script,
  startModelServer,
} from "../../../../../test/support/model-server.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { AppError } from "../../kit/errors.ts";
import { defaultLimits } from "../../platform/config.ts";
import { makeClientOf } from "../../platform/http/client-address.ts";
import { createHttpServer } from "../../platform/http/server.ts";
import { createLog } from "../../platform/log.ts";
import { registerAdminAuth } from "../admin-auth/api.ts";
import { makeAdminGuard } from "../admin-auth/guard.ts";
import { isSessionAlive } from "../admin-auth/sessions.ts";
import type { ModelChoice } from "../agent/model-choice.ts";
import { insertMedia } from "../media/store.ts";
import { insertProject } from "../projects/store.ts";
import type { DesignLedger } from "./ask-model.ts";
import { makeDesigner } from "./designer.ts";
import { makeImageReader } from "./images.ts";
import { registerDesign } from "./runner.ts";
import type { BuiltProject, Draft } from "./schema.ts";

const brief =
  "Northwind runs 14 shops. In 2023 I made their ordering app as lead designer with Figma.";

type Booked = Parameters<DesignLedger["book"]>[0];
interface Refusal {
  code: string;
  message: string;
  fields?: Record<string, string>;
}

let closers: (() => Promise<unknown>)[];
let url: string;
let clock: FakeClock;
/** What the signed-in admin sends along. */
let session: { cookie: string };
let model: ModelServer;
let choice: ModelChoice | null;
let booked: Booked[];
let ledger: DesignLedger;
let ids: number[];
/** Whether nobody can tell if a session lives, and how often it was looked then. */
let isDown: boolean;
let checks: number;
let addProject: () => Promise<number>;

/** Starts everything with this script of the model. */
type Overrides = Partial<Pick<Parameters<typeof makeDesigner>[0], "limitMs" | "model">>;

async function start(script: Script, options: Overrides = {}): Promise<void> {
  model = await startModelServer(script);
  closers.push(() => model.close());
  choice = {
    config: {
      provider: "anthropic",
      id: "scripted",
      baseUrl: model.url,
      inputPrice: 3,
      outputPrice: 15,
    },
    apiKey: "sk-test",
    abilities: null,
    from: "settings",
  };
  const { database, cleanup } = await makeTestDatabase();
  closers.push(cleanup);
  const { db } = database;
  const folder = await tempFolder();
  closers.push(() => folder.remove());
  await mkdir(join(folder.path, "media/2026"), { recursive: true });
  ids = [];
  for (let n = 0; n < 9; n += 1) {
    const src = `/media/2026/${"0".repeat(11)}${n}-picture.webp`;
    const bytes = await sharp({
      create: { width: 8, height: 8, channels: 3, background: { r: n * 20, g: 0, b: 0 } },
    })
      .webp()
      .toBuffer();
    await writeFile(join(folder.path, src), bytes);
    const variant = { src: src.replace(".webp", "-800.webp"), width: 800, bytes: bytes.length };
    await writeFile(join(folder.path, variant.src), bytes);
    await insertMedia(db, {
      kind: "image",
      src,
      originalName: `picture ${n}.png`,
      mime: "image/webp",
      bytes: bytes.length,
      originalBytes: 10,
      width: 1600,
      height: 1200,
      duration: null,
      hasAlpha: false,
      animated: false,
      poster: null,
      placeholder: null,
      variants: [variant],
      sha256: `${n}`.repeat(64),
      alt: n === 0 ? "The counter at dawn." : "",
      createdAt: "2026-01-01T00:00:00.000Z",
    });
    ids.push(n + 1);
  }
  booked = [];
  ledger = {
    assertOpen: async () => {},
    book: async (use) => void booked.push(use),
  };
  addProject = async () => {
    const at = "2026-01-01T00:00:00.000Z";
    const texts = { lede: "", body: "", kind: "", period: "", role: "", reelUrl: null, brief: "" };
    const lists = { categories: [], stack: [], skills: [], metrics: [], gallery: [] };
    const rest = { slug: "stored", status: "draft", name: "Stored", position: 1 } as const;
    const audience = "everyone" as const;
    const fields = {
      ...rest,
      audience,
      ...texts,
      ...lists,
      summary: "It saved 77 hours for Blue Harbour.",
    };
    return (await insertProject(db, fields, { createdAt: at, updatedAt: at })) ?? 0;
  };
  const designer = makeDesigner({
    db,
    choice: async () => choice,
    ledger: { assertOpen: () => ledger.assertOpen(), book: (use) => ledger.book(use) },
    images: makeImageReader({ db, mediaRoot: folder.path }),
    sources: async (agent) => [
      { title: `For the ${agent}`, url: "https://example.org/", notes: "" },
    ],
    voice: async () => "Plain words. VOICE-CANARY",
    model: { timing: { backoffMs: 1, silentMs: 5000 } },
    ...options,
  });
  const log = createLog({ level: "silent", name: "test" });
  const app = createHttpServer({ log, name: "test", secure: false });
  clock = fakeClock();
  const config = { baseUrl: "http://localhost:3000", limits: defaultLimits };
  const guard = makeAdminGuard({ db, clock, config });
  const clientOf = makeClientOf({ trustedIps: [], trustProxy: [] });
  registerAdminAuth(app, { db, clock, config, guard, clientOf });
  app.addHook("preHandler", guard.requireSession());
  const isAlive = (idHash: string) => {
    if (!isDown) return isSessionAlive(db, clock, idHash);
    checks += 1;
    return Promise.reject(new Error("The database does not answer."));
  };
  registerDesign(app, { designer, clock, isSessionAlive: isAlive, tickMs: 10 });
  session = { cookie: await adminCookie(db, clock, guard.cookie.name) };
  url = await app.listen({ host: "127.0.0.1", port: 0 });
  closers.push(() => app.close());
}

beforeEach(() => {
  isDown = false;
  checks = 0;
  closers = [];
});
afterEach(async () => {
  for (const close of closers.toReversed()) await close();
});

async function post<T>(path: string, body: object) {
  const answer = await fetch(`${url}/devconsole/${path}`, {
    method: "POST",
    headers: { ...session, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { data, error } = (await answer.json()) as { data: T; error: Refusal };
  return { status: answer.status, data, error };
}
const build = (body: object) =>
  post<BuiltProject>("build-project", { name: "Northwind ordering", brief, ...body });

const record = {
  summary: "An ordering app for 14 shops.",
  lede: "Northwind orders bread.",
  body: "## What it was\n\nAn app.",
  kind: "Web app",
  period: "2023",
  role: "Lead designer",
  categories: ["Product"],
  stack: ["Figma"],
  skills: [{ group: "Design", items: ["Interfaces"] }],
  metrics: [{ value: "14", label: "shops", note: "" }],
  gallery: [
    { caption: "The counter", alt: "A counter.", src: "https://evil.example/x.png" },
    { caption: "The list", alt: "A list.", src: "/media/2026/ffffffffffff-other.webp" },
  ],
};
const gives = (input: object) => ({ calls: [{ name: "give_project", input }] });
const images = (raw: string): number => raw.split('"type":"image"').length - 1;

describe("build-project", () => {
  it("gives the whole record; the addresses are the server's, by position, whatever the model says", async () => {
    await start([gives(record)]);
    const { status, data } = await build({ media: [2, 1], category: "Product" });
    expect(status).toBe(200);
    expect(data.project.gallery).toEqual([
      { src: "/media/2026/000000000001-picture.webp", caption: "The counter", alt: "A counter." },
      { src: "/media/2026/000000000000-picture.webp", caption: "The list", alt: "A list." },
    ]);
    expect(data).toMatchObject({
      outline: false,
      flags: [],
      notes: [],
      project: {
        slug: "northwind-ordering",
        stack: ["Figma"],
        metrics: [{ value: "14", label: "shops" }],
        brief,
      },
    });
    const [seen] = model.requests;
    expect(seen?.tools).toEqual(["give_project"]);
    expect(images(seen?.raw ?? "")).toBe(2);
    expect(seen?.raw).toContain("VOICE-CANARY");
    expect(seen?.raw).toContain("For the designer");
    expect(booked).toMatchObject([{ purpose: "design", runId: null, model: "anthropic/scripted" }]);
    expect(booked[0]?.cost).toBeGreaterThan(0);
  });

  it.each([
    [
      "too few",
      [{ caption: "One" }],
      [
        ["One", "The counter at dawn."],
        ["", undefined],
      ],
    ],
    [
      "too many",
      [{ caption: "One" }, null, { caption: "Three" }],
      [
        ["One", "The counter at dawn."],
        ["", undefined],
      ],
    ],
  ])("takes captions by position when there are %s", async (_what, gallery, expected) => {
    await start([gives({ ...record, gallery })]);
    const { data } = await build({ media: [1, 2] });
    expect(data.project.gallery.map(({ caption, alt }) => [caption, alt])).toEqual(expected);
  });

  it("looks at many images in groups, says how far it is, and keeps their order", async () => {
    const check = ({ raw }: { raw: string }) => {
      const names = [...raw.matchAll(/file picture (\d)\.png/g)].map(([, n]) => n);
      const imageList = names.map((n) => ({ caption: `Seen ${n}`, alt: "" }));
      return { calls: [{ name: "describe_images", input: { images: imageList } }] };
    };
    await start([check, check, check, gives(record)]);
    const answer = await fetch(`${url}/devconsole/build-project`, {
      method: "POST",
      headers: { ...session, "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ name: "Northwind", brief, media: ids }),
    });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const events = [...(await answer.text()).matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(
      ([, type = "", data = ""]) => ({ type, data: JSON.parse(data) as Record<string, unknown> }),
    );
    const checked = events
      .filter(({ data }) => data["step"] === "describe")
      .map(({ data }) => data);
    expect(checked.at(-1)).toMatchObject({ title: "Looked at 9 of 9 images", done: 9, total: 9 });
    expect(checked).toHaveLength(3);
    const { type, data } = events.at(-1) ?? { type: "", data: {} };
    expect(type).toBe("result");
    expect((data as unknown as BuiltProject).project.gallery.map(({ caption }) => caption)).toEqual(
      ids.map((id) => `Seen ${id - 1}`),
    );
    expect(model.requests.map(({ raw }) => images(raw)).toSorted()).toEqual([0, 1, 4, 4]);
  });

  it("flags what neither brief nor record says, in any field", async () => {
    const claims = {
      ...record,
      summary: "Orders rose by 45 % for Spotify.",
      period: "2021–2023",
      metrics: [{ value: "3×", label: "faster" }],
      body: "It saved 77 hours for Blue Harbour.",
    };
    await start([gives(claims), gives(claims)]);
    const { data } = await build({});
    expect(data.flags).toEqual([
      { path: "summary", text: "45 %", kind: "number" },
      { path: "summary", text: "Spotify", kind: "name" },
      { path: "body", text: "77", kind: "number" },
      { path: "body", text: "Blue Harbour", kind: "name" },
      { path: "period", text: "2021", kind: "date" },
      { path: "metrics.0.value", text: "3", kind: "number" },
    ]);
    const again = await build({ projectId: await addProject() });
    expect(again.data.flags.map(({ path }) => path)).toEqual([
      "summary",
      "summary",
      "period",
      "metrics.0.value",
    ]);
    expect(again.data.project.slug).toBe("stored");
  });

  it("hands back once what doesn't fit, then says so plainly", async () => {
    const wrong = { ...record, summary: "x".repeat(281) };
    await start([gives(wrong), gives(record), gives(wrong), { text: "I would rather not." }]);
    expect((await build({})).data.project.summary).toBe(record.summary);
    expect(model.requests[1]?.raw).toContain("must be at most 280 characters");
    const refused = await build({});
    expect(refused.status).toBe(502);
    expect(refused.error).toMatchObject({ code: "upstream_failed" });
    expect(model.remaining()).toBe(0);
    expect(booked).toHaveLength(4);
  });

  it("takes JSON in words from a model that can't call tools, and tells one that can't see", async () => {
    await start([
      {
        text: `Here it is:\n\`\`\`json\n${JSON.stringify({ ...record, gallery: [{ caption: "Made up" }] })}\n\`\`\``,
      },
    ]);
    if (choice) choice.abilities = { tools: false, images: false };
    const { data } = await build({ media: [1, 2] });
    expect(data.project.gallery.map(({ caption }) => caption)).toEqual(["", ""]);
    expect(data.notes.join()).toContain("can’t see images");
    expect(model.requests[0]?.tools).toEqual([]);
    expect(images(model.requests[0]?.raw ?? "")).toBe(0);
  });

  it("goes on without the images where the provider refuses them", async () => {
    await start([{ status: 400, message: "no images" }, gives({ ...record, gallery: [] })]);
    const { data } = await build({ media: [1] });
    expect(data.notes.join()).toContain("can’t see images");
    expect(data.project.summary).toBe(record.summary);
  });

  it("takes no address into the text that the owner never gave", async () => {
    const body =
      "See ![x](https://evil.example/p.png) [the shop](https://evil.example/) and https://evil.example/q, or [here](https://northwind.example/a).";
    await start([gives({ ...record, body })]);
    const { data } = await build({ brief: `${brief} It is at https://northwind.example/a today.` });
    expect(data.project.body).not.toContain("evil.example");
    expect(data.project.body).toContain("the shop");
    expect(data.project.body).toContain("[here](https://northwind.example/a)");
    expect(data.notes.join()).toContain("left out");
  });

  it("abuse 67: what record, voice and file names say is fenced, and gives no other tool", async () => {
    await start([gives(record)]);
    const { status } = await build({ media: [1], projectId: await addProject() });
    expect(status).toBe(200);
    const { raw = "", tools } = model.requests[0] ?? {};
    const ownerInput = JSON.stringify(JSON.parse(raw)).replaceAll(String.raw`\n`, "\n");
    const [, mark = ""] = /<data-([0-9a-f]{16})> marks/.exec(ownerInput) ?? [];
    for (const data of [
      "VOICE-CANARY",
      "77 hours for Blue Harbour",
      "For the designer",
      "picture 0.png",
    ]) {
      const before = ownerInput.slice(0, ownerInput.indexOf(data));
      const opened = before.split(`<data-${mark} of=`).length;
      expect([data, opened - before.split(`</data-${mark}>`).length]).toEqual([data, 1]);
    }
    expect(tools).toEqual(["give_project"]);
    expect(raw).not.toContain("sk-test");
  });

  it("makes an outline without a model, or when asked for one, and asks no model", async () => {
    await start([]);
    const requested = await build({ media: [1], outline: true });
    expect(requested.data).toMatchObject({ outline: true, flags: [], notes: [] });
    choice = null;
    const { data } = await build({ media: [1] });
    expect(data).toMatchObject({ outline: true, project: { period: "2023", stack: ["Figma"] } });
    expect(data.notes.join()).toContain("outline made from your own words");
    expect(model.requests).toEqual([]);
  });

  it("begins nothing above a ceiling, and uses what was paid for when one is reached", async () => {
    await start([gives(record), gives({ ...record, summary: 5 })]);
    ledger = {
      ...ledger,
      book: async () => Promise.reject(new AppError("upstream_failed", "Enough.")),
    };
    expect((await build({})).status).toBe(200);
    expect((await build({})).error.message).toBe("Enough.");
    ledger = {
      ...ledger,
      assertOpen: async () => Promise.reject(new AppError("throttled", "Closed.")),
    };
    expect((await build({})).status).toBe(429);
    expect(model.requests).toHaveLength(2);
  });

  it("books what an answer took that broke off", async () => {
    const half = { half: "reset", text: "x".repeat(300) } as const;
    await start([half, half, half]);
    expect((await build({})).status).toBe(502);
    expect(model.remaining()).toBe(0);
    expect(booked).toMatchObject([{ purpose: "design", model: "anthropic/scripted" }]);
    // By estimate: of each of the three, half came.
    expect(booked[0]?.outputTokens).toBeGreaterThan(150);
    expect(booked[0]?.cost).toBeGreaterThan(0);
  });

  /** Puts a model in place that takes what it is asked and says nothing; gives the answers that wait. */
  /** For tests that wait for something else than the model. */
  const patient = { model: { timing: { backoffMs: 1, silentMs: 60_000 } } };

  async function startSilent(options: Overrides = {}): Promise<ReadonlySet<object>> {
    await start([], options);
    const open = new Set<object>();
    const silent = createServer((_request, response) => {
      open.add(response);
      response.on("close", () => open.delete(response));
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    closers.push(async () => silent.close());
    const { port } = silent.address() as AddressInfo;
    if (choice) choice.config.baseUrl = `http://127.0.0.1:${port}/v1`;
    return open;
  }

  it.each(["application/json", "text/event-stream"])(
    "stops the model when nobody waits for %s any more",
    async (accept) => {
      const open = await startSilent();
      const left = request(`${url}/devconsole/build-project`, {
        method: "POST",
        headers: { ...session, "content-type": "application/json", accept },
      });
      left.on("error", () => {});
      left.end(JSON.stringify({ name: "x", brief }));
      await eventually(() => expect(open.size).toBe(1));
      left.destroy();
      await eventually(() => expect(open.size).toBe(0));
    },
  );

  it.each([
    ["application/json", /"code":"unauthenticated"/],
    ["text/event-stream", /^: begun\n(?![^]*event: (?:result|error))/],
  ])("abuse 23: stops the model, as %s, when its reader signs out", async (accept, reported) => {
    const open = await startSilent(patient);
    const answer = fetch(`${url}/devconsole/build-project`, {
      method: "POST",
      headers: { ...session, "content-type": "application/json", accept },
      body: JSON.stringify({ name: "x", brief }),
    });
    await eventually(() => expect(open.size).toBe(1));
    const out = await fetch(`${url}/api/adminauth/logout`, { method: "POST", headers: session });
    expect(out.status).toBe(200);
    clock.advance(2000);
    await eventually(() => expect(open.size).toBe(0));
    expect(await (await answer).text()).toMatch(reported);
  });

  it("goes on while nobody can tell whether its reader has signed out", async () => {
    const open = await startSilent(patient);
    const answer = fetch(`${url}/devconsole/build-project`, {
      method: "POST",
      headers: { ...session, "content-type": "application/json" },
      body: JSON.stringify({ name: "x", brief }),
    });
    await eventually(() => expect(open.size).toBe(1));
    isDown = true;
    await eventually(() => {
      clock.advance(2000);
      expect(checks).toBeGreaterThan(5);
    });
    expect(open.size).toBe(1);
    isDown = false;
    await fetch(`${url}/api/adminauth/logout`, { method: "POST", headers: session });
    clock.advance(2000);
    expect((await answer).status).toBe(401);
  });

  it("stops the model after its time", async () => {
    const open = await startSilent({ limitMs: 2000 });
    const slow = await build({});
    expect([slow.status, slow.error.message]).toEqual([
      502,
      "The model did not finish within 2 seconds.",
    ]);
    await eventually(() => expect(open.size).toBe(0));
  });

  it("refuses what it can't work with", async () => {
    await start([]);
    for (const [body, field] of [
      [{ brief: "" }, "brief"],
      [{ media: [99] }, "media.0"],
      [{ media: Array.from({ length: 61 }, () => 1) }, "media"],
      [{ x: 1 }, "x"],
      [{ reelUrl: "https://evil.example/" }, "reelUrl"],
    ] as const) {
      const { status, error } = await build(body);
      expect([status, Object.keys(error.fields ?? {})]).toEqual([422, [field]]);
    }
    expect((await build({ projectId: 99 })).status).toBe(404);
  });
});

describe("draft", () => {
  it("gives the three texts and what they claim without a source", async () => {
    const texts = { summary: "For 14 shops.", lede: "It rose by 30 %.", body: "## Why\n\nBread." };
    await start([{ calls: [{ name: "give_draft", input: texts }] }]);
    const { data } = await post<Draft>("draft", { name: "Northwind", brief });
    expect(data).toEqual({
      ...texts,
      outline: false,
      flags: [{ path: "lede", text: "30 %", kind: "number" }],
    });
    expect(booked).toMatchObject([{ purpose: "draft" }]);
    expect(model.requests[0]?.raw).toContain("For the drafter");
  });
  it("is an outline without a model", async () => {
    await start([]);
    choice = null;
    const { data } = await post<Draft>("draft", { name: "Northwind", brief });
    expect(data).toMatchObject({ outline: true, body: brief, flags: [] });
    const { error } = await post<Draft>("draft", { name: "Northwind", brief: "" });
    expect(error.fields).toHaveProperty("brief");
  });
});
