import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { type ProjectsApp, startProjectsApp } from "../../../../../test/support/projects-app.ts";
import type { ProjectDetail, StaleProject } from "./schema.ts";
import { listRedirects } from "./store.ts";

const everything = {
  name: "Tidewater",
  summary: "A month of tides",
  lede: "First line.\nSecond line.",
  body: "# Tides\n\n\tindented",
  kind: "Case study",
  period: "2024–2026",
  role: "Design",
  categories: ["Maps", "Print"],
  stack: ["Astro"],
  skills: [{ group: "Build", items: ["CSS", "Type"] }],
  metrics: [
    { value: "40 %", label: "fewer calls" },
    { value: "3", label: "harbours", note: "in one summer" },
  ],
  reelUrl: "https://www.instagram.com/reel/C0ffee_-1/?igsh=a%3D",
  brief: "Make it calm.\nUse blue.",
};

describe.each(dialects)("the projects' API on %s", (dialect) => {
  let maker: DatabaseMaker;
  let app: ProjectsApp;
  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());
  beforeEach(async () => {
    app = await startProjectsApp(maker);
  });
  afterEach(() => app[Symbol.asyncDispose]());

  test("a project is created, read by id and by slug, changed and deleted", async () => {
    const src = await app.addImage("cover", { alt: "The cover" });
    const gallery = [{ src, caption: "Cover", alt: "" }];
    const made = await app.ask<ProjectDetail>("/create", { ...everything, gallery });
    expect(made.status).toBe(201);
    expect(made.headers["cache-control"]).toBe("no-store");
    const times = { createdAt: "2026-01-15T12:00:00.000Z", updatedAt: "2026-01-15T12:00:00.000Z" };
    expect(made.data).toEqual({
      ...everything,
      ...times,
      gallery,
      id: made.data.id,
      slug: "tidewater",
      status: "draft",
      audience: "everyone",
      position: 0,
      version: 1,
      media: [expect.objectContaining({ src, alt: "The cover", width: 800 })],
    });
    expect((await app.ask("/get?slug=tidewater")).data).toEqual(made.data);
    app.clock.advance(1000);
    const { id } = made.data;
    const saved = await app.ask<ProjectDetail>("/save", {
      id,
      version: 1,
      status: "published",
      audience: "invited",
      gallery: [],
    });
    expect([saved.status, saved.data]).toEqual([
      200,
      {
        ...made.data,
        status: "published",
        audience: "invited",
        gallery: [],
        media: [],
        version: 2,
        updatedAt: "2026-01-15T12:00:01.000Z",
      },
    ]);
    expect(await app.get(id)).toEqual(saved.data);
    const { data: again } = await app.ask<ProjectDetail>("/save", {
      id,
      version: 2,
      audience: "everyone",
    });
    expect([again.audience, (await app.get(id)).audience]).toEqual(["everyone", "everyone"]);
    expect((await app.ask("/save", { id, version: 3, audience: "nobody" })).status).toBe(422);
    expect((await app.ask("/delete", { id })).data).toEqual({ id, deleted: true });
    expect((await app.ask(`/get?id=${id}`)).error.code).toBe("not_found");
    expect((await app.ask("/delete", { id })).status).toBe(404);
    expect((await app.ask("/save", { id, version: 2, name: "x" })).status).toBe(404);
    expect(app.changes).toEqual([
      "Tidewater was added",
      "Tidewater was changed",
      "Tidewater was changed",
      "Tidewater was deleted",
    ]);
  });

  test("texts come back clean: trimmed, composed, without control characters", async () => {
    const { id } = await app.create({
      name: "  A\u030Ake\u0000 \u001b[31m ",
      summary: "one\nline",
      body: "a\r\nb\tc\u0007",
      categories: [" Maps "],
    });
    expect(await app.get(id)).toMatchObject({
      name: "Åke [31m",
      slug: "ake-31m",
      summary: "oneline",
      body: "a\nb\tc",
      categories: ["Maps"],
    });
  });

  test("a save that changes nothing keeps the version and asks for no rebuild", async () => {
    const made = await app.create(everything);
    app.clock.advance(1000);
    app.changes.length = 0;
    const again = await app.ask<ProjectDetail>("/save", {
      id: made.id,
      version: 1,
      ...everything,
      name: " Tidewater ",
    });
    expect([again.status, again.data]).toEqual([200, made]);
    expect((await app.ask("/save", { id: made.id, version: 1 })).data).toEqual(made);
    expect(app.changes).toEqual([]);
  });

  test("only the fields that are sent change, the brief among them", async () => {
    const made = await app.create(everything);
    const version = async (change: object) =>
      (await app.ask<ProjectDetail>("/save", { id: made.id, ...change })).data.version;
    expect(await version({ version: 1, brief: "Louder" })).toBe(2);
    expect(await version({ version: 2, reelUrl: null })).toBe(3);
    expect(await version({ version: 3, brief: "" })).toBe(4);
    const { updatedAt: _updatedAt, ...rest } = made;
    expect(await app.get(made.id)).toMatchObject({ ...rest, brief: "", reelUrl: null, version: 4 });
  });

  test("a stale version is refused with both versions and the present record", async () => {
    const made = await app.create(everything);
    const first = await app.ask("/save", { id: made.id, version: 1, summary: "first" });
    const present = await app.get(made.id);
    app.changes.length = 0;
    for (const [path, body] of [
      ["/save", { summary: "second" }],
      ["/save", {}],
      ["/save", { slug: "elsewhere", gallery: [{ src: "/media/2026/nothing.webp" }] }],
      ["/delete", {}],
    ] as const) {
      const stale = await app.ask(path, { id: made.id, version: 1, ...body });
      expect([stale.status, stale.error.code]).toEqual([409, "stale_version"]);
      const details = stale.error.details as StaleProject;
      expect(details).toEqual({ version: 2, yours: 1, current: present });
    }
    const early = await app.ask("/save", { id: made.id, version: 3, summary: "third" });
    expect(early.error.details).toMatchObject({ version: 2, yours: 3 });
    expect(first.data).toEqual(present);
    expect(await app.get(made.id)).toEqual(present);
    expect(app.changes).toEqual([]);
  });

  test("abuse 114: a refusal leaves out a present record that is too long for it", async () => {
    const made = await app.create({ name: "Long", body: "ä".repeat(50_000) });
    await app.ask("/save", { id: made.id, version: 1, summary: "first" });
    const stale = await app.ask("/save", { id: made.id, version: 1, summary: "second" });
    expect(stale.error.details).toEqual({ version: 2, yours: 1, current: null });
    expect((await app.get(made.id)).body).toHaveLength(50_000);
  });

  test("what is wrong is said at its field, and nothing is stored", async () => {
    const made = await app.create(everything);
    const wrong: [object, Record<string, string>][] = [
      [{ summary: "x".repeat(281) }, { summary: "must be at most 280 characters" }],
      [{ name: " \n" }, { name: "can't be empty" }],
      [{ name: "\u200b\u2060\u202e" }, { name: "can't be empty" }],
      [{ name: null }, { name: "must be text" }],
      [{ status: "live" }, { status: "must be draft, published or archived" }],
      [{ categories: Array(13).fill("a") }, { categories: "must have at most 12 entries" }],
      [
        {
          skills: [
            { group: "A", items: [] },
            { group: "B", items: ["1", "2", "3", "x".repeat(41)] },
          ],
        },
        { "skills.1.items.3": "must be at most 40 characters" },
      ],
      [{ metrics: [{ value: "1" }] }, { "metrics.0.label": "is required" }],
      [
        { slug: "Not--good" },
        { slug: "must be lowercase letters and digits with single hyphens between them" },
      ],
      [
        { surprise: 1, position: 4 },
        { surprise: "is unknown", position: "is unknown" },
      ],
      [
        { gallery: [{ src: "/media/2026/a.webp", title: "x" }] },
        { "gallery.0.title": "is unknown" },
      ],
      [{ version: "1" }, { version: "must be a number" }],
    ];
    for (const [change, fields] of wrong) {
      const response = await app.ask("/save", { id: made.id, version: 1, ...change });
      expect([response.status, response.error.fields]).toEqual([422, fields]);
    }
    const nameless = await app.ask("/create", { summary: "x" });
    expect([nameless.status, nameless.error.fields]).toEqual([422, { name: "is required" }]);
    for (const query of ["?id=1&slug=a", "", "?id=0", "?slug=A", "?id=1&x=1", "?id=99999999999"]) {
      expect((await app.ask(`/get${query}`)).status).toBe(422);
    }
    for (const query of ["?x=1", "?perPage=101", "?page=0", "?sort=size", "?status=live"]) {
      expect((await app.ask(`/list${query}`)).status).toBe(422);
    }
    expect(await app.get(made.id)).toEqual(made);
  });

  test("records as long as they may be, in any script, are taken", async () => {
    const long = {
      body: "海".repeat(50_000),
      brief: "波".repeat(8000),
      lede: "岸".repeat(600),
      summary: "潮".repeat(280),
      name: "名".repeat(120),
    };
    const escaped = JSON.stringify(long).replace(
      /[^\x20-\x7e]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    const made = await app.ask<ProjectDetail>("/create", escaped);
    expect(made.data).toMatchObject(long);
    expect(await app.get(made.data.id)).toMatchObject(long);
  });

  test("an old slug leads to the present one, also over several; a slug in use leads nowhere else", async () => {
    const one = await app.create({ name: "One", status: "published" });
    const move = async (version: number, slug: string) =>
      (await app.ask("/save", { id: one.id, version, slug })).status;
    expect(await move(1, "two")).toBe(200);
    expect(await move(2, "three")).toBe(200);
    expect(await listRedirects(app.db)).toEqual([
      { from: "one", to: "three" },
      { from: "two", to: "three" },
    ]);
    expect(await move(3, "one")).toBe(200);
    expect(await listRedirects(app.db)).toEqual([
      { from: "three", to: "one" },
      { from: "two", to: "one" },
    ]);
    const other = await app.create({ name: "Other", slug: "two", status: "published" });
    expect(await listRedirects(app.db)).toEqual([{ from: "three", to: "one" }]);
    await app.ask("/save", { id: other.id, version: 1, slug: "three" });
    expect(await listRedirects(app.db)).toEqual([{ from: "two", to: "three" }]);
    await app.ask("/save", { id: other.id, version: 2, status: "archived" });
    expect(await listRedirects(app.db)).toEqual([]);
    expect(await listRedirects(app.db, "all")).toHaveLength(1);
    await app.ask("/delete", { id: other.id });
    expect(await listRedirects(app.db, "all")).toEqual([]);
  });

  test("slugs are made from names and stay apart; a given one that is taken is refused", async () => {
    const slugs = async (names: string[]) => {
      const made: string[] = [];
      for (const name of names) made.push((await app.create({ name })).slug);
      return made;
    };
    expect(await slugs(["Café Ærø", "Café Ærø", "Cafe aero!", "海", "—"])).toEqual([
      "cafe-aero",
      "cafe-aero-2",
      "cafe-aero-3",
      "project",
      "project-2",
    ]);
    const long = "ab ".repeat(39).trim();
    const [first, second] = await slugs([long, long]);
    expect([first?.length, second?.endsWith("-2"), (second?.length ?? 99) <= 80]).toEqual([
      80,
      true,
      true,
    ]);
    const taken = await app.ask("/create", { name: "New", slug: "project" });
    expect([taken.status, taken.error.code, Object.keys(taken.error.fields ?? {})]).toEqual([
      409,
      "already_exists",
      ["slug"],
    ]);
    const { id } = await app.create({ name: "Mine" });
    const moved = await app.ask("/save", { id, version: 1, slug: "project", name: "Other" });
    expect([moved.status, moved.error.code]).toEqual([409, "already_exists"]);
    expect(await app.get(id)).toMatchObject({ slug: "mine", name: "Mine", version: 1 });
  });

  test("a made slug leaves the old addresses of others alone", async () => {
    const { id } = await app.create({ name: "Harbour" });
    await app.ask("/save", { id, version: 1, slug: "port" });
    expect((await app.create({ name: "Harbour" })).slug).toBe("harbour-2");
    expect(await listRedirects(app.db, "all")).toEqual([{ from: "harbour", to: "port" }]);
  });

  test("the named projects take their places among themselves in the order given", async () => {
    const ids: Record<string, number> = {};
    for (const name of ["a", "b", "c", "d", "e"]) ids[name] = (await app.create({ name })).id;
    const of = (names: string) => [...names].map((name) => ids[name]);
    app.changes.length = 0;
    const before = await app.get(ids["e"] ?? 0);
    expect((await app.ask("/reorder", { ids: of("eca") })).data).toEqual({ ids: of("eca") });
    expect(await app.names()).toEqual(["e", "b", "c", "d", "a"]);
    expect(await app.get(ids["e"] ?? 0)).toEqual({ ...before, position: 0 });
    await app.ask("/reorder", { ids: of("ec") });
    expect(app.changes).toEqual(["The order of the projects was changed"]);
    const twice = await app.ask("/reorder", { ids: [...of("aba"), 999_999] });
    expect([twice.status, twice.error.fields]).toEqual([
      422,
      { "ids.2": "is listed twice", "ids.3": "isn't a project" },
    ]);
    expect((await app.ask("/reorder", { ids: [] })).status).toBe(422);
    expect(await app.names()).toEqual(["e", "b", "c", "d", "a"]);
  });

  test("projects that share a place are put apart before they are moved", async () => {
    const ids: number[] = [];
    for (const name of ["a", "b", "c"]) ids.push((await app.create({ name })).id);
    await app.db
      .withTables<{ project: { position: number } }>()
      .updateTable("project")
      .set({ position: 7 })
      .execute();
    await app.ask("/reorder", { ids: [ids[2], ids[0]] });
    expect(await app.names()).toEqual(["c", "b", "a"]);
  });

  test("nothing is half written when the site can't be told", async () => {
    const src = await app.addImage("one");
    const retained = await app.create({ name: "Kept", gallery: [{ src }] });
    const other = await app.create({ name: "Other" });
    const tables = async () => {
      const all: unknown[] = [];
      for (const name of [
        "project",
        "project_media",
        "project_search",
        "project_redirect",
        "project_brief",
      ] as const) {
        all.push(
          await app.db
            .withTables<Record<typeof name, { x: 1 }>>()
            .selectFrom(name)
            .selectAll()
            .execute(),
        );
      }
      return all;
    };
    const before = await tables();
    app.onChange = async () => {
      throw new Error("the queue is gone");
    };
    for (const [path, body] of [
      ["/create", { name: "New", brief: "x", gallery: [{ src }] }],
      [
        "/save",
        { id: retained.id, version: 1, slug: "moved", brief: "x", gallery: [], name: "Changed" },
      ],
      ["/delete", { id: retained.id }],
      ["/reorder", { ids: [other.id, retained.id] }],
    ] as const) {
      const response = await app.ask(path, body);
      expect([response.status, response.error.code]).toEqual([500, "internal"]);
      expect(await tables()).toEqual(before);
    }
  });

  test("the site is told inside the transaction, when the change can be read there", async () => {
    let seen: unknown;
    app.onChange = async (transaction) => {
      seen = await transaction
        .withTables<{ project: { name: string } }>()
        .selectFrom("project")
        .select("name")
        .execute();
    };
    await app.create({ name: "Inside" });
    expect(seen).toEqual([{ name: "Inside" }]);
  });

  test("a reader's token reads and no more, a writer's changes, a stranger sees nothing", async () => {
    const { id } = await app.create({ name: "One" });
    const reading = ["/list", "/filters", `/get?id=${id}`];
    const writing: [string, object][] = [
      ["/save", { id, version: 1, name: "Two" }],
      ["/create", { name: "Three" }],
      ["/reorder", { ids: [id] }],
      ["/delete", { id }],
    ];
    const read = await app.token(["read"]);
    const write = await app.token(["write"]);
    for (const path of reading) {
      expect((await app.ask(path, undefined, read)).status).toBe(200);
      expect((await app.ask(path, undefined, write)).status).toBe(403);
      expect((await app.ask(path, undefined, {})).status).toBe(401);
    }
    for (const [path, body] of writing) {
      expect((await app.ask(path, body, {})).status).toBe(401);
      expect((await app.ask(path, body, read)).status).toBe(403);
    }
    expect(await app.get(id)).toMatchObject({ name: "One", version: 1 });
    for (const [path, body] of writing) {
      expect((await app.ask(path, body, write)).status).toBe(path === "/create" ? 201 : 200);
    }
  });

  test("a page of another site changes nothing and reads nothing", async () => {
    const { id } = await app.create({ name: "One" });
    const session = app.session;
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
    ]) {
      const sent = { ...session, ...(headers as Record<string, string>) };
      const changed = await app.ask("/save", { id, version: 1, name: "Two" }, sent);
      expect([changed.status, changed.error.code]).toEqual([403, "bad_origin"]);
      expect((await app.ask("/list", undefined, sent)).status).toBe(403);
    }
    const own = { ...session, origin: "http://localhost:3000", "sec-fetch-site": "same-origin" };
    expect((await app.ask("/save", { id, version: 1, name: "Two" }, own)).status).toBe(200);
  });

  const recordLimit = 1024 * 1024;

  /** Sends the beginning of a body of this length, or of one that does not end. */
  async function startSave(length: number | "chunked"): Promise<number> {
    const { port, host } = new URL(app.url);
    const socket = connect(Number(port), "127.0.0.1");
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("error", () => {});
    const framing =
      length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
    const head = [
      "POST /api/adminprojects/save HTTP/1.1",
      `Host: ${host}`,
      `Cookie: ${app.session["cookie"]}`,
    ];
    socket.write([...head, "Content-Type: application/json", framing, "", ""].join("\r\n"));
    const piece = `{"body":"${"x".repeat(16_376)}`;
    // Just more than is taken: who writes on when the answer has come may lose it.
    const pieces = length === "chunked" ? Math.ceil(recordLimit / piece.length) : 0;
    for (let sent = 0; sent < pieces; sent += 1) {
      socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(() => expect(text).toContain("\r\n\r\n"));
    socket.destroy();
    return Number(text.split(" ")[1]);
  }

  test("abuse 62: JSON too deep is 400, too large 413, and a poisoned key 400", async () => {
    const made = await app.create({ name: "One" });
    const start = `{"id":${made.id},"version":1,`;
    const deep = `${start}"skills":${"[".repeat(1000)}${"]".repeat(1000)}}`;
    expect((await app.ask("/save", deep)).status).toBe(400);
    expect(await startSave(10 * 1024 * 1024)).toBe(413);
    expect(await startSave("chunked")).toBe(413);
    const poisoned = `${start}"__proto__":{"status":"published"}}`;
    expect((await app.ask("/save", poisoned)).status).toBe(400);
    expect((await app.ask("/reorder", { ids: Array(40_000).fill(1_000_000) })).status).toBe(413);
    expect(await app.get(made.id)).toEqual(made);
  });
});
