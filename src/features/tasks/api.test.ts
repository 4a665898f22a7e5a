import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type DatabaseMaker, dialects, startDialect } from "../../../test/support/postgres.ts";
import { startTasksApp, type TasksApp } from "../../../test/support/tasks-app.ts";
import { insertUse } from "../agent/ledger/store.ts";
import { deleteProject } from "../projects/store.ts";
import { endClaim, giveBack, holdsClaim } from "./claim.ts";
import type { Task, TaskBoard, TaskCounts, TaskDetail, TaskStatus } from "./schema.ts";
import { findTask } from "./store.ts";

interface List {
  items: Task[];
  total: number;
  page: number;
  perPage: number;
}

const review = [{ kind: "script" as const, message: "Adds a script.", items: ["/a.js"] }];

describe.each(dialects)("the tasks' API on %s", (dialect) => {
  let maker: DatabaseMaker;
  let app: TasksApp;
  const at = () => new Date(app.clock.now()).toISOString();

  beforeAll(async () => {
    maker = await startDialect(dialect);
    app = await startTasksApp(maker);
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await maker.close();
  });
  beforeEach(() => app.clear());

  /** A task in this state, come to it as tasks do; with its run where it has one. */
  async function taskIn(status: TaskStatus): Promise<number> {
    const { id } = await app.create();
    if (status === "queued") return id;
    if (status === "cancelled") {
      await app.ask("/cancel", { id });
      return id;
    }
    const claim = await app.claim();
    expect(claim.taskId).toBe(id);
    if (status === "claimed") return id;
    const done = { needs_review: "preview_ready", published: "published" } as const;
    const ended = { reverted: "failed", failed: "failed", building: "running" } as const;
    await app.begin(claim, { ...done, ...ended }[status]);
    if (status === "building") return id;
    const ending = {
      published: { status: "published", commit: "a".repeat(40) },
      needs_review: { status: "needs_review", review },
      reverted: { status: "reverted", error: "The build was refused." },
      failed: { status: "failed", error: "Its worker died." },
    } as const;
    expect(await endClaim(app.db, claim, ending[status], at())).toBe(true);
    return id;
  }

  const all: readonly TaskStatus[] = [
    "queued",
    "claimed",
    "building",
    "needs_review",
    "published",
    "reverted",
    "failed",
    "cancelled",
  ];

  describe("create", () => {
    test("queues a task, as what it was asked for", async () => {
      const projectId = await app.addProject("Alpha");
      const picture = await app.addPicture("one");
      const { status, data, headers } = await app.ask<Task>("/create", {
        kind: "project",
        title: "  Alpha's page ",
        instruction: "Line one\r\nline two\n",
        pageUrl: "/alpha/",
        projectId,
        findingId: null,
        attachments: [picture],
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
        findingId: null,
        attachments: [picture],
        priority: 1,
        status: "queued",
        attempts: 0,
        mostAttempts: 3,
        waiting: null,
        claimedBy: null,
        leaseExpiresAt: null,
        run: null,
        commit: null,
        error: null,
        review: [],
        approvedAt: null,
        actor: "Ada",
        createdAt: at(),
        updatedAt: at(),
        startedAt: null,
        finishedAt: null,
      });
      expect(app.woken.times).toBe(1);
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
      for (const said of [undefined, "  "]) {
        expect((await app.create({ instruction, title: said })).title).toBe(title);
      }
    });

    test.each<[object | string, string[]]>([
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
      [{ instruction: "x", projectId: "1" }, ["projectId"]],
      [{ instruction: "x", projectId: 2 ** 31 }, ["projectId"]],
      [{ instruction: "x", projectId: 1.5 }, ["projectId"]],
      [{ instruction: "x", projectId: 77 }, ["projectId"]],
      [{ instruction: "x", pageUrl: "//elsewhere.example/" }, ["pageUrl"]],
      [{ instruction: "x", pageUrl: "https://elsewhere.example/" }, ["pageUrl"]],
      [{ instruction: "x", pageUrl: "/\\elsewhere" }, ["pageUrl"]],
      [{ instruction: "x", pageUrl: "/a\u0000b" }, ["pageUrl"]],
      [{ instruction: "x", priority: 2 }, ["priority"]],
      [{ instruction: "x", priority: 0.5 }, ["priority"]],
      [{ instruction: "x", priority: "high" }, ["priority"]],
      [{ instruction: "x", attachments: [0] }, ["attachments.0"]],
      [{ instruction: "x", attachments: { length: 1 } }, ["attachments"]],
      [{ instruction: "x", attachments: Array(11).fill(1) }, ["attachments"]],
      [{ instruction: "x", attachments: [7, 7] }, ["attachments.1"]],
      [{ instruction: "x", status: "published" }, ["status"]],
      [{ instruction: "x", actor: "Someone" }, ["actor"]],
      ['{"instruction":"x","__proto__":{"priority":9}}', []],
    ])("refuses %j", async (body, fields) => {
      const { status, error } = await app.ask("/create", body);
      if (fields.length === 0) {
        expect([400, 422]).toContain(status);
        return;
      }
      expect([status, error.code]).toEqual([422, "validation_failed"]);
      expect(Object.keys(error.fields ?? {})).toEqual(fields);
      expect((await app.ask<List>("/list")).data.total).toBe(0);
    });

    test("names each picture that isn't there, and the project", async () => {
      const picture = await app.addPicture("one");
      const { status, error } = await app.ask("/create", {
        instruction: "x",
        projectId: 77,
        attachments: [99, picture, 98],
      });
      expect(status).toBe(422);
      expect(error.fields).toEqual({
        projectId: "there is no such project",
        "attachments.0": "there is no such media file",
        "attachments.2": "there is no such media file",
      });
      expect(app.woken.times).toBe(0);
    });

    test("keeps what words say, and nothing that turns them around", async () => {
      const { id } = await app.create({
        title: "<b>\u202Egnp.exe</b>\u0007\u2066",
        instruction: "Say <script>alert(1)</script>\u0000\u202E 'quoted' \uD800",
      });
      const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
      expect(data.title).toBe("<b>gnp.exe</b>");
      expect(data.instruction).toBe("Say <script>alert(1)</script> 'quoted' \uFFFD");
    });

    test("too large a body is refused before it is read", async () => {
      const { status } = await app.ask("/create", { instruction: "x".repeat(300_000) });
      expect(status).toBe(413);
    });

    test("a runner that can't be woken doesn't undo what is stored", async () => {
      app.woken.error = new Error("nobody there");
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
      const { status, data, text } = await app.ask<List>(`/list${query}`);
      expect(status, text).toBe(200);
      return data.items.map(({ id }) => id);
    };

    test("filters, sorts and pages", async () => {
      const a = (await app.create({ priority: -1 })).id;
      const b = await taskIn("cancelled");
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

  describe("what a task tells of its run", () => {
    test("the newest run with its files, cost, currency and preview", async () => {
      const { id } = await app.create();
      const first = await app.claim();
      await app.begin(first, "failed", { error: "The build was refused." });
      const giving = { reason: "Another try", waitMs: 30_000, counts: true };
      const rest = { at: at(), mostAttempts: 3, exhausted: "failed" } as const;
      await giveBack(app.db, first, giving, rest);
      const waits = (await app.ask<TaskDetail>(`/get?id=${id}`)).data;
      expect(waits).toMatchObject({
        status: "queued",
        attempts: 1,
        waiting: { reason: "Another try", until: expect.stringMatching(/Z$/) },
        run: { status: "failed", attempt: 1, error: "The build was refused.", step: null },
      });

      await app.ask("/cancel", { id });
      await app.ask("/retry", { id });
      app.clock.advance(10);
      const second = await app.claim();
      const runId = await app.begin(second, "preview_ready", {
        artifact_sha: "f".repeat(64),
        files_changed: JSON.stringify([{ path: "app/src/a.astro", added: 2, removed: 1 }]),
        summary: "Made it blue",
        input_tokens: 10,
        output_tokens: 5,
        cost: 0.5,
      });
      const use = { at: at(), purpose: "edit", runId, model: "test", inputTokens: 10 } as const;
      await insertUse(app.db, {
        ...use,
        cachedTokens: 0,
        outputTokens: 5,
        cost: 0.5,
        currency: "EUR",
      });
      await endClaim(app.db, second, { status: "needs_review", review }, at());
      const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
      expect(data).toMatchObject({ status: "needs_review", attempts: 1, review });
      expect(data.run).toEqual({
        id: runId,
        attempt: 1,
        status: "preview_ready",
        step: null,
        filesChanged: [{ path: "app/src/a.astro", added: 2, removed: 1 }],
        summary: "Made it blue",
        error: null,
        model: "test",
        inputTokens: 10,
        outputTokens: 5,
        cost: 0.5,
        currency: "EUR",
        previewUrl: `/_preview/${runId}/`,
        createdAt: at(),
        startedAt: null,
        finishedAt: null,
      });
      expect(data.runs.map((run) => run.status)).toEqual(["preview_ready", "failed"]);
      expect(data.events.map((event) => event.type)).toEqual([
        "created",
        "requeued",
        "cancelled",
        "retried",
        "needs_review",
      ]);
    });

    test("what it does right now, out of the last of very many events", async () => {
      const { id } = await app.create();
      const runId = await app.begin(await app.claim(), "running");
      const step = async () => (await app.ask<TaskDetail>(`/get?id=${id}`)).data.run?.step;
      expect(await step()).toBe("Thinking");
      const call = (title: string) => ({ callId: "1", tool: "read", title, input: {} });
      app.events.emit(runId, { type: "tool.call", data: call("Reading app/src/a.astro") });
      app.events.emit(runId, { type: "model.text", data: { text: "Let me see" } });
      await app.events.flush(runId);
      expect(await step()).toBe("Reading app/src/a.astro");
      app.events.emit(runId, { type: "build.started", data: { attempt: 1 } });
      for (let i = 0; i < 100; i += 1) {
        app.events.emit(runId, { type: "build.log", data: { line: "x" } });
      }
      await app.events.flush(runId);
      expect(await step()).toBe("Building the site");
      app.events.emit(runId, { type: "checks.started", data: {} });
      await app.events.flush(runId);
      expect(await step()).toBe("Checking the pages");
      app.events.emit(runId, { type: "tool.call", data: call("\u202E\n".repeat(9)) });
      await app.events.flush(runId);
      expect(await step()).toBe("At work");
      await app.ask("/cancel", { id });
      expect(await step()).toBeNull();
    });
  });

  describe("the board", () => {
    const board = (etag?: string) =>
      app.ask<TaskBoard>("/board", undefined, {
        ...app.session,
        ...(etag ? { "if-none-match": etag } : {}),
      });

    test("shows each state in its column, what is next first, then the newest", async () => {
      const ids: Partial<Record<TaskStatus, number>> = {};
      for (const status of all.toReversed()) {
        ids[status] = await taskIn(status);
        app.clock.advance(1000);
      }
      const urgent = (await app.create({ priority: 1 })).id;
      app.runners = 2;
      const { status, data } = await board();
      expect(status).toBe(200);
      expect(data).toMatchObject({ paused: false, runners: 2, now: at() });
      const shown = data.columns.map(({ column, total, items }) => [
        column,
        total,
        items.map(({ id }) => id),
      ]);
      expect(shown).toEqual([
        ["queued", 2, [urgent, ids.queued]],
        ["running", 2, [ids.claimed, ids.building]],
        ["needs_review", 1, [ids.needs_review]],
        ["published", 1, [ids.published]],
        ["ended", 3, [ids.reverted, ids.failed, ids.cancelled]],
      ]);
    });

    test("answers 304 until anything that it shows has changed", async () => {
      const known = new Set<string>();
      let etag = "";
      const changed = async (what: string) => {
        const answer = await board(etag);
        expect(answer.status, what).toBe(200);
        etag = String(answer.headers["etag"]);
        expect(known.has(etag), what).toBe(false);
        known.add(etag);
        app.clock.advance(5);
        const again = await board(`W/"other", W/${etag}`);
        expect([again.status, again.text], what).toEqual([304, ""]);
        expect(again.headers["etag"]).toBe(etag);
        expect(again.headers["cache-control"]).toBe("no-store");
      };
      await changed("nothing there");
      const { id } = await app.create();
      await changed("a task");
      await app.ask("/pause", {});
      await changed("paused");
      app.runners = 0;
      await changed("no runner");
      const claim = await app.claim();
      await changed("claimed");
      const runId = await app.begin(claim);
      await changed("begun");
      app.events.emit(runId, { type: "build.started", data: { attempt: 1 } });
      await app.events.flush(runId);
      await changed("a step");
      await app.events.transition(runId, ["running"], {
        status: "building",
        input_tokens: 9,
      });
      await changed("the run's state");
      await endClaim(app.db, claim, { status: "needs_review", review }, at());
      await changed("to review");
      await app.ask("/cancel", { id });
      await changed("cancelled");
    });

    test("takes no question", async () => {
      expect((await app.ask("/board?all=1")).status).toBe(422);
    });
  });

  test("counts, pauses and resumes", async () => {
    for (const status of ["claimed", "building", "needs_review", "failed", "queued"] as const) {
      await taskIn(status);
    }
    const counts = async () => (await app.ask<TaskCounts>("/counts")).data;
    expect(await counts()).toEqual({ queued: 1, running: 2, needsReview: 1, paused: false });
    app.woken.times = 0;
    expect((await app.ask("/pause", {})).data).toEqual({ paused: true });
    expect((await counts()).paused).toBe(true);
    expect(await app.pause.get()).toBe(true);
    expect(app.woken.times).toBe(0);
    expect((await app.ask("/resume", {})).data).toEqual({ paused: false });
    expect((await counts()).paused).toBe(false);
    expect(app.woken.times).toBe(1);
    expect((await app.ask("/pause", { paused: false })).status).toBe(422);
    expect((await app.ask("/pause", [])).status).toBe(422);
  });

  describe("what a person does with a task", () => {
    const allowed: Record<"cancel" | "retry" | "approve", readonly TaskStatus[]> = {
      cancel: ["queued", "claimed", "building", "needs_review"],
      retry: ["reverted", "failed", "cancelled", "needs_review"],
      approve: ["needs_review"],
    };
    const cases = (["cancel", "retry", "approve"] as const).flatMap((action) =>
      all.map((status) => [action, status] as const),
    );

    test.each(cases)("%s of one that is %s", async (action, status) => {
      const id = await taskIn(status);
      app.woken.times = 0;
      const { status: code, data, error } = await app.ask<Task>(`/${action}`, { id });
      const row = await findTask(app.db, id);
      if (!allowed[action].includes(status)) {
        expect([code, error.code, error.details]).toEqual([409, "invalid_state", { status }]);
        expect([row?.status, app.woken.times]).toEqual([status, 0]);
        return;
      }
      expect(code).toBe(200);
      expect(app.woken.times).toBe(1);
      const to = { cancel: "cancelled", retry: "queued", approve: "needs_review" }[action];
      expect([data.status, row?.status]).toEqual([to, to]);
      expect([data.claimedBy, data.leaseExpiresAt]).toEqual([null, null]);
      expect(data.approvedAt).toBe(action === "approve" ? at() : null);
      if (action === "retry") expect([data.attempts, data.error]).toEqual([0, null]);
      const closed = { building: "cancelled", needs_review: "discarded" } as const;
      if (action !== "approve" && (status === "building" || status === "needs_review")) {
        expect(data.run).toMatchObject({ status: closed[status], step: null, previewUrl: null });
      }
    });

    test.each(["cancel", "retry", "approve"])("%s takes one id of a task", async (action) => {
      for (const [body, code] of [
        [{ id: 999 }, 404],
        [{ id: 2_147_483_647 }, 404],
        [{ id: 2_147_483_648 }, 422],
        [{ id: 9e15 }, 422],
        [{ id: 0 }, 422],
        [{ id: -1 }, 422],
        [{ id: "1" }, 422],
        [{ id: [1] }, 422],
        [{ id: null }, 422],
        [{}, 422],
        [{ id: 1, by: "Someone" }, 422],
        [[], 422],
        ["null", 422],
        ["{", 400],
      ] as const) {
        expect((await app.ask(`/${action}`, body)).status, JSON.stringify(body)).toBe(code);
      }
      for (const query of ["", "?id=", "?id=x", "?id=1.5", "?id=2147483648", "?id=1&id=2"]) {
        expect((await app.ask(`/get${query}`)).status, query).toBe(422);
      }
      expect((await app.ask("/get?id=999")).error.code).toBe("not_found");
    });

    test("what waits for review is approved once, in the name of who asked first", async () => {
      const id = await taskIn("needs_review");
      const first = await app.ask<Task>("/approve", { id });
      app.clock.advance(1000);
      const second = await app.ask<Task>("/approve", { id });
      expect([second.status, second.data.approvedAt]).toEqual([200, first.data.approvedAt]);
      const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
      expect(data.events.filter(({ type }) => type === "approved")).toHaveLength(1);
    });

    test("abuse 88: a cancel against a claim, and against its end, comes to one outcome", async () => {
      for (let round = 0; round < 12; round += 1) {
        const { id } = await app.create();
        const work = async () => {
          const claim = await app.claim();
          const commit = String(round).padStart(40, "b");
          return {
            claim,
            won: await endClaim(app.db, claim, { status: "published", commit }, at()),
          };
        };
        const [cancelled, worked] = await Promise.all([
          app.ask("/cancel", { id }),
          work().catch(() => null),
        ]);
        const row = await findTask(app.db, id);
        const won = worked?.won ?? false;
        expect([cancelled.status, row?.status]).toEqual(
          won ? [409, "published"] : [200, "cancelled"],
        );
        expect(row).toMatchObject({ claim_hash: null, claimed_by: null });
        if (worked) expect(await holdsClaim(app.db, worked.claim)).toBe(false);
        const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
        expect(data.events.map(({ type }) => type)).toEqual([
          "created",
          won ? "published" : "cancelled",
        ]);
      }
    });

    test("abuse 88: of cancel, retry and approve at once, each that is answered 200 has happened", async () => {
      for (let round = 0; round < 8; round += 1) {
        const id = await taskIn("needs_review");
        const asked = ["approve", "retry", "cancel", "approve", "cancel"] as const;
        const answers = await Promise.all(asked.map((action) => app.ask(`/${action}`, { id })));
        const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
        const events = data.events.map(({ type }) => type);
        const done = (action: string) =>
          answers.filter(({ status }, index) => asked[index] === action && status === 200).length;
        expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
        expect(events.filter((type) => type === "retried")).toHaveLength(done("retry"));
        expect(events.filter((type) => type === "cancelled")).toHaveLength(done("cancel"));
        expect(["queued", "cancelled"]).toContain(data.status);
        expect(data.run?.status).toBe("discarded");
        expect(data.approvedAt).toBeNull();
        await app.ask("/cancel", { id });
      }
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
      expect((await app.ask(path, undefined, reader)).status, path).toBe(200);
      expect((await app.ask(path, undefined, writer)).status, path).toBe(403);
      expect((await app.ask(path, undefined, {})).status, path).toBe(401);
    }
    for (const path of writes) {
      // Refused before the body is looked at.
      expect((await app.ask(path, "{", reader)).status, path).toBe(403);
      expect((await app.ask(path, "{", {})).status, path).toBe(401);
      for (const foreign of [
        { origin: "https://elsewhere.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" },
      ]) {
        const answer = await app.ask(path, { id }, { ...app.session, ...foreign });
        expect([answer.status, answer.error.code], path).toEqual([403, "bad_origin"]);
      }
    }
    expect((await app.ask<List>("/list")).data.total).toBe(1);
  });
});
