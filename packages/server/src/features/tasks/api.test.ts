import { describe, expect, test } from "vitest";
import { dialects } from "../../../../../test/support/postgres.ts";
import { type TasksApp, useTasksApp } from "../../../../../test/support/tasks-app.ts";
import { isoTime } from "../../kit/time.ts";
import { deleteProject } from "../projects/store.ts";
import type { Task, TaskDetail } from "./schema.ts";

interface List {
  items: Task[];
  total: number;
  page: number;
  perPage: number;
}

describe.each(dialects)("the tasks' API on %s", (dialect) => {
  let app: TasksApp;
  const at = () => isoTime(app.clock.now());

  useTasksApp(dialect, (made) => (app = made));

  describe("create", () => {
    test("queues a task, as what it was asked for", async () => {
      const projectId = await app.addProject("Alpha");
      const image = await app.addImage("one");
      const { status, data, headers } = await app.ask<Task>("/create", {
        kind: "project",
        title: "  Alpha's page ",
        instruction: "Line one\r\nline two\n",
        pageUrl: "/alpha/",
        projectId,
        findingId: null,
        attachments: [image],
        priority: 1,
      });
      expect([status, headers["cache-control"]]).toEqual([201, "no-store"]);
      expect(data).toEqual({
        id: expect.any(Number),
        kind: "project",
        title: "Alpha's page",
        instruction: "Line one\nline two",
        pageUrl: "/alpha/",
        projectId,
        projectStatus: null,
        findingId: null,
        attachments: [image],
        priority: 1,
        status: "queued",
        attempts: 0,
        maxAttempts: 3,
        waiting: null,
        claimedBy: null,
        leaseExpiresAt: null,
        run: null,
        commit: null,
        error: null,
        review: [],
        scope: expect.objectContaining({
          pages: ["/alpha/", "/projects/alpha/"],
          kinds: ["images"],
        }),
        scopeSummary: "May change without review: images on /alpha/ and /projects/alpha/.",
        approvedAt: null,
        actor: "Ada",
        createdAt: at(),
        updatedAt: at(),
        startedAt: null,
        finishedAt: null,
      });
      expect(app.wakeCount.times).toBe(1);
      const detail = await app.ask<TaskDetail>(`/get?id=${data.id}`);
      expect(detail.data).toEqual({
        ...data,
        project: { id: projectId, slug: "alpha", name: "Alpha" },
        runs: [],
        events: [{ type: "created", message: "Ada", at: at() }],
      });
    });

    test.each([
      ["Make the header blue", "Make the header blue"],
      ["\n\n  First line  \nSecond", "First line"],
      ["word ".repeat(40), `${"word ".repeat(15)}word…`],
      ["x".repeat(200), `${"x".repeat(79)}…`],
      ["ab, ".repeat(30), `${"ab, ".repeat(19)}ab…`],
      ["😀".repeat(60), `${"😀".repeat(39)}…`],
    ])("%j makes the title %j", async (instruction, title) => {
      for (const reply of [undefined, "  "]) {
        expect((await app.create({ instruction, title: reply })).title).toBe(title);
      }
    });

    test.each<[object, string[]]>([
      [{}, ["instruction"]],
      [{ instruction: " \n " }, ["instruction"]],
      [{ instruction: "\u202E\u0000" }, ["instruction"]],
      [{ instruction: "x".repeat(8001) }, ["instruction"]],
      [{ instruction: ["x"] }, ["instruction"]],
      [{ instruction: "x", title: "t".repeat(141) }, ["title"]],
      [{ instruction: "x", title: 5 }, ["title"]],
      [{ instruction: "x", kind: "design" }, ["kind"]],
      [{ instruction: "x", kind: "project" }, ["projectId"]],
      [{ instruction: "x", kind: "project", projectId: null }, ["projectId"]],
      [{ instruction: "x", kind: "project", projectStatus: "archived" }, ["projectStatus"]],
      [{ instruction: "x", kind: "project", projectStatus: true }, ["projectStatus"]],
      [
        { instruction: "x", kind: "project", projectStatus: "draft", projectId: 1 },
        ["projectStatus"],
      ],
      [{ instruction: "x", projectStatus: "draft" }, ["projectStatus"]],
      [{ instruction: "x", kind: "qa-fix", projectStatus: "published" }, ["projectStatus"]],
      [{ instruction: "x", kind: "project", projectStatus: "draft", scope: {} }, ["scope"]],
      [{ instruction: "x", projectId: "1" }, ["projectId"]],
      [{ instruction: "x", projectId: 2 ** 31 }, ["projectId"]],
      [{ instruction: "x", projectId: 1.5 }, ["projectId"]],
      [{ instruction: "x", projectId: 77 }, ["projectId"]],
      [{ instruction: "x", pageUrl: "//elsewhere.example/" }, ["pageUrl"]],
      [{ instruction: "x", pageUrl: "https://elsewhere.example/" }, ["pageUrl"]],
      [{ instruction: "x", pageUrl: "/\\elsewhere" }, ["pageUrl"]],
      [{ instruction: "x", pageUrl: "/a\u0000b" }, ["pageUrl"]],
      [{ instruction: "x", pageUrl: "/a\u202Eb" }, ["pageUrl"]],
      [{ instruction: "x", pageUrl: "/\uD800" }, ["pageUrl"]],
      [{ instruction: "x", priority: 2 }, ["priority"]],
      [{ instruction: "x", priority: 0.5 }, ["priority"]],
      [{ instruction: "x", priority: "high" }, ["priority"]],
      [{ instruction: "x", attachments: [0] }, ["attachments.0"]],
      [{ instruction: "x", attachments: { length: 1 } }, ["attachments"]],
      [{ instruction: "x", attachments: Array(11).fill(1) }, ["attachments"]],
      [{ instruction: "x", attachments: [7, 7] }, ["attachments.1"]],
      [{ instruction: "x", status: "published" }, ["status"]],
      [{ instruction: "x", actor: "Someone" }, ["actor"]],
    ])("refuses %j", async (body, fields) => {
      const { status, error } = await app.ask("/create", body);
      expect([status, error.code]).toEqual([422, "validation_failed"]);
      expect(Object.keys(error.fields ?? {})).toEqual(fields);
      expect((await app.ask<List>("/list")).data.total).toBe(0);
    });

    test.each([
      ["draft", "Saves one new draft without review. Visitors can’t see it."],
      ["published", "Nothing may change without review."],
    ] as const)("queues a new project, %s, from a brief and images", async (status, summary) => {
      const attachments = [await app.addImage("two"), await app.addImage("one")];
      const brief = { kind: "project", instruction: "Change the text on /about/ to blue" };
      const { id } = await app.create({ ...brief, projectStatus: status, attachments });
      const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
      expect(data).toMatchObject({
        kind: "project",
        projectId: null,
        projectStatus: status,
        project: null,
        attachments,
        scope: { pages: [], kinds: [], style: [] },
        scopeSummary: summary,
      });
      expect((await app.claim()).task.project_status).toBe(status);
    });

    test.each([
      [null, 0, /needs a model, and none is set up/],
      [{ canBuild: false, canSee: true }, 0, /no key, or it can't call tools/],
      [{ canBuild: true, canSee: false }, 1, /can't look at images/],
    ] as const)("queues no new project for the model %j", async (model, images, message) => {
      const attachments = images === 0 ? [] : [await app.addImage("one")];
      app.model = model;
      const body = { kind: "project", instruction: "x", projectStatus: "draft", attachments };
      const { status, error } = await app.ask("/create", body);
      expect([status, error.code]).toEqual([503, "model_not_configured"]);
      expect(error.message).toMatch(message);
      expect((await app.ask<List>("/list")).data.total).toBe(0);
      expect(app.wakeCount.times).toBe(0);
    });

    test("names each attachment of a new project that is no image", async () => {
      const attachments = [await app.addImage("one"), await app.addImage("two", "video")];
      const body = { kind: "project", instruction: "x", projectStatus: "draft", attachments };
      const { status, error } = await app.ask("/create", body);
      expect([status, error.fields]).toEqual([422, { "attachments.1": "must be an image" }]);
      await app.create({ attachments });
    });

    test("queues a new project without images for a model that can't see", async () => {
      app.model = { canBuild: true, canSee: false };
      const { status } = await app.create({ kind: "project", projectStatus: "draft" });
      expect(status).toBe("queued");
    });

    test("refuses what would reach behind an object", async () => {
      const body = '{"instruction":"x","__proto__":{"priority":9}}';
      expect((await app.ask("/create", body)).error.code).toBe("malformed_json");
    });

    test("names each image that isn't there, and the project", async () => {
      const image = await app.addImage("one");
      const { status, error } = await app.ask("/create", {
        instruction: "x",
        projectId: 77,
        attachments: [99, image, 98],
      });
      expect(status).toBe(422);
      expect(error.fields).toEqual({
        projectId: "there is no such project",
        "attachments.0": "there is no such media file",
        "attachments.2": "there is no such media file",
      });
      expect(app.wakeCount.times).toBe(0);
    });

    test("keeps what words say, and nothing that turns them around", async () => {
      const { id } = await app.create({
        title: "<b>\u202Egnp.exe</b>\u0007\u2066",
        instruction: "Say <script>alert(1)</script>\u0000\u202E 'quoted'",
      });
      const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
      expect(data.title).toBe("<b>gnp.exe</b>");
      expect(data.instruction).toBe("Say <script>alert(1)</script> 'quoted'");
      const broken = await app.ask("/create", { instruction: "half a pair: \uD800" });
      expect([broken.status, Object.keys(broken.error.fields ?? {})]).toEqual([
        422,
        ["instruction"],
      ]);
    });

    test("too large a body is refused before it is read", async () => {
      const { status } = await app.ask("/create", { instruction: "x".repeat(300_000) });
      expect(status).toBe(413);
    });

    test("a runner that can't be woken doesn't undo what is stored", async () => {
      app.wakeCount.error = new Error("nobody there");
      await app.create();
      expect((await app.ask<List>("/list")).data.total).toBe(1);
    });

    test("a project that goes leaves its tasks", async () => {
      const projectId = await app.addProject("Alpha");
      const { id } = await app.create({ projectId });
      await deleteProject(app.db, { id: projectId, version: 1 });
      const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
      expect([data.projectId, data.project]).toEqual([null, null]);
    });
  });

  describe("list", () => {
    const ids = async (query: string) => {
      const { data, text } = await app.ask<List>(`/list${query}`);
      if (!data) throw new Error(text);
      return data.items.map(({ id }) => id);
    };

    test("filters, sorts and pages", async () => {
      const a = (await app.create({ priority: -1 })).id;
      const b = await app.taskIn("cancelled");
      app.clock.advance(1000);
      const projectId = await app.addProject("Alpha");
      const c = (await app.create({ kind: "project", projectId })).id;
      app.clock.advance(1000);
      const d = (await app.create({ priority: 1, kind: "qa-fix", findingId: 5 })).id;
      expect(await ids("")).toEqual([d, c, b, a]);
      expect(await ids("?sort=queue&status=queued")).toEqual([d, c, a]);
      expect(await ids("?status=queued,cancelled&kind=edit")).toEqual([b, a]);
      expect(await ids("?findingId=5")).toEqual([d]);
      expect(await ids("?kind=project")).toEqual([c]);
      const { data } = await app.ask<List>("/list?page=2&perPage=3");
      expect(data).toMatchObject({ total: 4, page: 2, perPage: 3, items: [{ id: a }] });
      expect(await ids("?page=3&perPage=3")).toEqual([]);
    });

    test.each([
      ["?status=", "status"],
      ["?status=queued,asleep", "status"],
      ["?status=queued&status=failed", "status"],
      ["?kind=all", "kind"],
      ["?sort=id", "sort"],
      ["?page=0", "page"],
      ["?perPage=101", "perPage"],
      ["?findingId=2147483648", "findingId"],
      ["?findingId=-1", "findingId"],
      ["?q=x", "q"],
      ["?status[]=queued", "status[]"],
    ])("%s is refused", async (query, field) => {
      const { status, error } = await app.ask(`/list${query}`);
      expect([status, error.code]).toEqual([422, "validation_failed"]);
      expect(Object.keys(error.fields ?? {}).join()).toContain(field);
    });
  });

  test("a token acts in its own name, and does what its scope allows", async () => {
    const [reader, writer] = [
      await app.token("Monitor", ["read"]),
      await app.token("Automation", ["write"]),
    ];
    const created = await app.ask<Task>("/create", { instruction: "x" }, writer);
    expect([created.status, created.data.actor]).toEqual([201, "Automation"]);
    const { id } = created.data;
    const cancelled = await app.ask<Task>("/cancel", { id }, writer);
    expect(cancelled.status).toBe(200);
    const { data } = await app.ask<TaskDetail>(`/get?id=${id}`, undefined, reader);
    expect(data.events.at(-1)).toMatchObject({ type: "cancelled", message: "Automation" });

    const reads = ["/list", "/board", "/counts", `/get?id=${id}`];
    const writes = ["/create", "/cancel", "/retry", "/approve", "/pause", "/resume"];
    for (const path of reads) {
      const requested = [reader, writer, {}].map((by) => app.ask(path, undefined, by));
      const statuses = (await Promise.all(requested)).map(({ status }) => status);
      expect([path, ...statuses]).toEqual([path, 200, 403, 401]);
    }
    for (const path of writes) {
      // Refused before the body is looked at.
      const requested = [reader, {}].map((by) => app.ask(path, "{", by));
      const statuses = (await Promise.all(requested)).map(({ status }) => status);
      expect([path, ...statuses]).toEqual([path, 403, 401]);
      for (const foreign of [
        { origin: "https://elsewhere.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" },
      ]) {
        const response = await app.ask(path, { id }, { ...app.session, ...foreign });
        expect([path, response.status, response.error.code]).toEqual([path, 403, "bad_origin"]);
      }
    }
    expect((await app.ask<List>("/list")).data.total).toBe(1);
  });
});
