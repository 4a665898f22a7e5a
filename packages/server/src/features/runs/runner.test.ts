import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { type RunsApp, runnerKey, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../test/support/runs-site.ts";
import { AppError } from "../../kit/errors.ts";

let app: RunsApp;
beforeEach(async () => {
  app = await startRunsApp();
});
afterEach(() => app.cleanup());

const unknownRun = "01KAJ3X0M0AAAAAAAAAAAAAAAA";
const sameOrigin = { origin: "http://localhost:3000", "sec-fetch-site": "same-origin" };

const about = (text: string) =>
  scriptedAgent(async (context) => {
    context.emit({ type: "model.text", data: { text: "I change the page." } });
    await writePage(context, "about.html", text);
    return { message: "Change the page", summary: "Changed." };
  });

/** Opens an event stream as the gate would and collects what arrives. */
function listen(runId: string, headers: Record<string, string> = {}) {
  const { hostname, port } = new URL(app.url);
  const seen = { status: 0, text: "", ended: false, headers: {} as Record<string, unknown> };
  const call = request({
    hostname,
    port,
    path: `/devconsole/stream/${runId}`,
    headers: { "x-vitrine-key": runnerKey, cookie: app.cookie, ...headers },
    agent: false,
  });
  call.on("response", (response) => {
    seen.status = response.statusCode ?? 0;
    seen.headers = response.headers;
    response.setEncoding("utf8");
    response.on("data", (chunk) => (seen.text += String(chunk)));
    response.on("end", () => (seen.ended = true));
    response.on("error", () => {});
  });
  call.on("error", () => {});
  call.end();
  const ids = () => [...seen.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  return { seen, ids, leave: () => call.destroy() };
}

describe("who may call the runner", () => {
  const paths = [
    "/devconsole/ping",
    "/devconsole/auth",
    "/devconsole/runs",
    `/devconsole/runs/${unknownRun}`,
    `/devconsole/stream/${unknownRun}`,
    "/devconsole/estimate",
    "/devconsole/blame?file=app/src/pages/about.html&line=1",
    "/devconsole/message",
    "/devconsole/message/withdraw",
    "/devconsole/reapply",
    "/devconsole/nothing",
    "/devconsole",
    "/_preview/",
    `/_preview/${unknownRun}/`,
    `/_preview/${unknownRun}/_astro/x.css`,
    `/_preview/${unknownRun}/~ticket/`,
    `/_preview/${unknownRun}/~k5x1abcd.${"a".repeat(43)}.${"b".repeat(43)}/`,
    "/",
  ];

  it.each(paths)("abuse 17: %s is 401 without key or without session", async (path) => {
    for (const headers of [
      { cookie: "" },
      { "x-vitrine-key": "" },
      { "x-vitrine-key": "x".repeat(43) },
    ]) {
      for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE"] as const) {
        const response = await app.ask(path, { method, headers: { ...sameOrigin, ...headers } });
        expect([method, path, headers, response.status]).toEqual([method, path, headers, 401]);
      }
    }
  });

  it("abuse 15: takes no bearer token, and no foreign cookie", async () => {
    const headers = { cookie: "vitrine_admin=x", authorization: `Bearer vit_${"a".repeat(43)}` };
    expect((await app.ask("/devconsole/ping", { headers })).status).toBe(401);
  });

  it("abuse 21: takes nobody's word for who they are", async () => {
    const headers = {
      cookie: "",
      "x-forwarded-user": "admin",
      "x-original-url": "/devconsole/ping",
      "x-accel-redirect": "/devconsole/ping",
      "x-forwarded-for": "127.0.0.1",
    };
    expect((await app.ask("/devconsole/ping", { headers })).status).toBe(401);
  });

  it("abuse 12: refuses changes that another site's page caused", async () => {
    const headers = [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "null" },
    ];
    for (const header of headers) {
      const response = await app.ask("/devconsole/run", {
        body: { instruction: "x" },
        headers: header,
      });
      expect([response.status, response.json().error.code]).toEqual([403, "bad_origin"]);
    }
    expect((await app.runs.list({ page: 1, perPage: 1 })).total).toBe(0);
  });

  it("abuse 22: a session that can't be asked about is 503, never let through", async () => {
    await app.db.schema.dropTable("admin_session").execute();
    expect((await app.ask("/devconsole/ping")).status).toBe(503);
  });

  it("abuse 11: a cookie is dead after logout", async () => {
    expect((await app.ask("/devconsole/auth")).json().data).toMatchObject({ admin: true });
    await app.admin.ask("/api/adminauth/logout", {
      method: "POST",
      headers: { cookie: app.cookie },
    });
    expect((await app.ask("/devconsole/auth")).status).toBe(401);
  });
});

describe("the runner's routes", () => {
  it("answers ping", async () => {
    expect((await app.ask("/devconsole/ping")).json()).toEqual({
      ok: true,
      data: { pong: true, version: "0.0.0" },
      error: null,
    });
  });

  it("does a run from instruction to public page over HTTP", async () => {
    app.use(about("new"));
    const started = await app.ask("/devconsole/run", {
      body: { instruction: "  Change it ", pageUrl: "/about/" },
      headers: sameOrigin,
    });
    expect(started.status).toBe(202);
    const { runId } = started.json().data as { runId: string };
    await app.runs.waitUntilFinished(runId);
    expect((await app.ask(`/devconsole/runs/${runId}`)).json().data).toMatchObject({
      instruction: "Change it",
      pageUrl: "/about/",
      status: "preview_ready",
    });
    expect((await app.ask(`/devconsole/runs/${runId}/diff`)).json().data).toMatchObject({
      files: [{ path: "app/src/pages/about.html", status: "modified", added: 1, removed: 1 }],
    });
    const list = await app.ask("/devconsole/runs?status=preview_ready&perPage=5");
    expect(list.json().data).toMatchObject({
      total: 1,
      page: 1,
      perPage: 5,
      items: [{ id: runId }],
    });
    const published = await app.ask("/devconsole/publish", { body: { runId } });
    expect([published.status, published.json().data["status"]]).toEqual([200, "published"]);
    const again = await app.ask("/devconsole/discard", { body: { runId } });
    expect([again.status, again.json().error]).toMatchObject([
      409,
      { code: "invalid_state", details: { status: "published" } },
    ]);
    const restored = await app.ask("/devconsole/restore", { body: { runId } });
    expect(restored.status).toBe(202);
    await app.runs.waitUntilFinished((restored.json().data as { runId: string }).runId);
  });

  it.each([
    [{}, 422],
    [{ instruction: " " }, 422],
    [{ instruction: "x".repeat(8001) }, 422],
    [{ instruction: "x", extra: 1 }, 422],
    [{ instruction: "x", mode: "destroy" }, 422],
    [{ instruction: "x", pageUrl: "//evil.example" }, 422],
    [{ instruction: "x", pageUrl: "https://evil.example" }, 422],
    [{ instruction: "\u0000\u001b" }, 422],
    [{ instruction: "x", pageUrl: "/a\u0000b" }, 422],
  ])("refuses %j", async (body, status) => {
    expect((await app.ask("/devconsole/run", { body })).status).toBe(status);
  });

  it("abuse 69: keeps a run's words without NUL and terminal codes, whoever said them", async () => {
    const hostile = (text: string) => `\u001b[31m${text}\u0000\n!`;
    app.use(
      scriptedAgent(async (context) => {
        await writePage(context, "about.html", "<p>clean</p>");
        return { summary: hostile("Done"), message: "Change" };
      }),
    );
    const started = await app.ask("/devconsole/run", { body: { instruction: hostile("Do") } });
    const { runId } = started.json().data as { runId: string };
    await app.runs.waitUntilFinished(runId);
    const retained = { instruction: "[31mDo\n!", summary: "[31mDone\n!" };
    expect((await app.ask(`/devconsole/runs/${runId}`)).json().data).toMatchObject(retained);

    app.use(
      scriptedAgent(async () => {
        throw new AppError("upstream_failed", hostile("Refused"));
      }),
    );
    const failing = await app.ask("/devconsole/run", { body: { instruction: "x" } });
    const { runId: failed } = failing.json().data as { runId: string };
    await app.runs.waitUntilFinished(failed);
    expect((await app.ask(`/devconsole/runs/${failed}`)).json().data).toMatchObject({
      status: "failed",
      error: "[31mRefused\n!",
    });
  });

  it("abuse 24: unknown and malformed run ids are 404 everywhere", async () => {
    for (const id of [unknownRun, "x", "1", unknownRun.toLowerCase()]) {
      for (const path of ["runs/", "stream/"]) {
        expect((await app.ask(`/devconsole/${path}${id}`)).status).toBe(404);
      }
      expect((await app.ask(`/devconsole/runs/${id}/diff`)).status).toBe(404);
      for (const name of ["publish", "discard", "cancel", "retry", "restore"]) {
        expect((await app.ask(`/devconsole/${name}`, { body: { runId: id } })).status).toBe(404);
      }
    }
  });

  it("abuse 13: takes only JSON bodies", async () => {
    const headers = { "content-type": "text/plain" };
    expect((await app.ask("/devconsole/run", { body: { instruction: "x" }, headers })).status).toBe(
      415,
    );
  });

  it("abuse 14: GET on a change is 405 with Allow, nothing is 404", async () => {
    const response = await app.ask("/devconsole/publish");
    expect([response.status, response.headers["allow"]]).toEqual([405, "POST"]);
    expect((await app.ask("/devconsole/nothing")).status).toBe(404);
  });
});

describe("the event stream", () => {
  it("streams a run as it happens and ends with it", async () => {
    const entered = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    app.use(
      scriptedAgent(async (context) => {
        context.emit({ type: "model.text", data: { text: "<b>working</b>" } });
        entered.resolve();
        await release.promise;
        return { summary: "Nothing to do." };
      }),
    );
    const { runId } = await app.runs.start({ instruction: "x" });
    const [one, two] = [listen(runId), listen(runId)];
    await entered.promise;
    await eventually(() => expect(one.seen.text).toContain("working"));
    expect(one.seen.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    expect(one.seen.ended).toBe(false);
    release.resolve();
    await eventually(() => expect([one.seen.ended, two.seen.ended]).toEqual([true, true]));
    expect(one.seen.text).toMatch(/event: run\.finished\ndata: .*"discarded".*\n\n$/);
    expect(two.ids()).toEqual(one.ids());
  });

  it("abuse 24: replays exactly after Last-Event-ID; foreign ones are 404; 204 when all is known", async () => {
    const runId = await app.edit(about("x"));
    await app.runs.discard(runId);
    const all = listen(runId);
    await eventually(() => expect(all.seen.ended).toBe(true));
    const last = all.ids().length;
    expect(all.ids()).toEqual(Array.from({ length: last }, (_, i) => i + 1));
    for (let after = 1; after < last; after += 1) {
      const rest = listen(runId, { "last-event-id": String(after) });
      await eventually(() => expect(rest.seen.ended).toBe(true));
      expect(rest.seen.text).toBe(
        `retry: 1000\n\n${all.seen.text.slice(all.seen.text.indexOf(`id: ${after + 1}\n`))}`,
      );
    }
    for (const id of [
      String(last + 1),
      "-1",
      "x",
      "1.5",
      "1e1",
      `${unknownRun}:1`,
      "9".repeat(20),
    ]) {
      const response = await app.ask(`/devconsole/stream/${runId}`, {
        headers: { "last-event-id": id },
      });
      expect([id, response.status]).toEqual([id, 404]);
    }
    const done = await app.ask(`/devconsole/stream/${runId}`, {
      headers: { "last-event-id": String(last) },
    });
    expect(done.status).toBe(204);
  });

  it("abuse 23: closes after logout", async () => {
    const runId = await app.edit(about("x"));
    const stream = listen(runId);
    await eventually(() => expect(stream.ids().length).toBeGreaterThan(5));
    await app.admin.ask("/api/adminauth/logout", {
      method: "POST",
      headers: { cookie: app.cookie },
    });
    app.admin.clock.advance(2000);
    await eventually(() => expect(stream.seen.ended).toBe(true));
  });

  it("lets go of a reader that leaves, and of all when the server closes", async () => {
    const runId = await app.edit(about("x"));
    let listening = 0;
    const subscribe = app.events.subscribe.bind(app.events);
    vi.spyOn(app.events, "subscribe").mockImplementation((...given) => {
      const stop = subscribe(...given);
      listening += 1;
      return () => {
        listening -= 1;
        stop();
      };
    });
    const [leaver, stayer] = [listen(runId), listen(runId)];
    await eventually(() => expect([leaver, stayer].every((s) => s.ids().length > 5)).toBe(true));
    expect(listening).toBe(2);
    leaver.leave();
    await eventually(() => expect(listening).toBe(1));
    await app.closeServer();
    await eventually(() => expect([stayer.seen.ended, listening]).toEqual([true, 0]));
  });
});
