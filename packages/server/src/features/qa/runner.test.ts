import { request } from "undici";
import { expect, test } from "vitest";
import { observed, type QaApp, resultOf, useQaApp } from "../../../../../test/support/qa-app.ts";
import type { EngineWatch, Progress } from "vitrine-qa/src/engine/job.ts";

let app: QaApp;
useQaApp("sqlite", (made) => (app = made));

interface Started {
  runId: number;
  startedAt: string;
}

/** Looks until it is told to go on. */
function holdRun() {
  const started = Promise.withResolvers<EngineWatch>();
  const block = Promise.withResolvers<void>();
  app.use(async (_job, watch) => {
    started.resolve(watch);
    await block.promise;
    return resultOf([observed("seo.title-missing", "/")]);
  });
  return { begun: started.promise, goOn: block.resolve };
}

interface Reported {
  event: string;
  data: Record<string, unknown>;
}

/** The events of a stream; `each` is called after every one. */
async function follow(
  runId: number,
  each: (reported: Reported) => void = () => {},
): Promise<Reported[]> {
  const url = `${app.runnerUrl}/devconsole/qa/stream/${runId}`;
  const { statusCode, headers, body } = await request(url, { headers: app.session });
  expect([statusCode, headers["content-type"]]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const events: Reported[] = [];
  let text = "";
  for await (const chunk of body) {
    text += String(chunk);
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const match = /^event: (.+)\ndata: (.+)$/m.exec(text.slice(0, end));
      text = text.slice(end + 2);
      if (!match) continue;
      const reported = {
        event: match[1] ?? "",
        data: JSON.parse(match[2] ?? "") as Reported["data"],
      };
      events.push(reported);
      each(reported);
    }
  }
  return events;
}

test("a QA run is started once, and its progress is reported", async () => {
  const { begun: started, goOn } = holdRun();
  const url = `${app.runnerUrl}/devconsole/qa/run`;
  const empty = await request(url, { method: "POST", headers: app.session });
  const { data } = (await empty.body.json()) as { data: Started };
  expect(empty.statusCode).toBe(202);
  expect(data).toEqual({ runId: expect.any(Number), startedAt: expect.any(String) });
  const second = await app.askRunner("/run", {});
  expect([second.status, second.error.code, second.error.details]).toEqual([
    409,
    "invalid_state",
    { runId: data.runId },
  ]);
  const progress: Progress = { step: "browser", done: 1, total: 4, at: "/about/", findings: 2 };
  (await started).progress(progress);
  const events = await follow(data.runId, ({ event }) => {
    if (event === "qa.progress") goOn();
  });
  expect(events[0]).toEqual({ event: "qa.progress", data: progress });
  expect(events.at(-1)).toEqual({
    event: "qa.finished",
    data: {
      runId: data.runId,
      status: "finished",
      counts: { error: 1, warning: 0, notice: 0 },
      newFindings: 1,
      fixedFindings: 0,
      reopenedFindings: 0,
      error: null,
    },
  });
  // Whoever comes later hears of the end alone, and who has heard it of nothing.
  await app.runs.idle();
  expect((await follow(data.runId)).map(({ event }) => event)).toEqual(["qa.finished"]);
  const heard = { ...app.session, "last-event-id": "1" };
  expect((await app.askRunner(`/stream/${data.runId}`, undefined, heard)).status).toBe(204);
});

test("a stopped QA run says so and is stopped once", async () => {
  const { begun: started } = holdRun();
  const { data } = await app.askRunner<Started>("/run", {});
  await started;
  const stream = follow(data.runId);
  expect((await app.askRunner("/stop", { runId: data.runId })).data).toEqual({
    runId: data.runId,
    stopping: true,
  });
  expect((await stream).at(-1)).toMatchObject({ data: { status: "aborted" } });
  const again = await app.askRunner("/stop", { runId: data.runId });
  expect([again.status, again.error.details]).toEqual([409, { status: "aborted" }]);
});

test("a QA run that fails says why", async () => {
  app.use(async () => Promise.reject(new Error("The site is gone.")));
  const { data } = await app.askRunner<Started>("/run", {});
  expect((await follow(data.runId)).at(-1)).toMatchObject({
    data: { status: "failed", error: "The site is gone." },
  });
});

test("abuse 23: a stream ends with its reader's session, and with its reader", async () => {
  const { begun: started, goOn } = holdRun();
  const { data } = await app.askRunner<Started>("/run", {});
  await started;
  const url = `${app.runnerUrl}/devconsole/qa/stream/${data.runId}`;
  const gone = new AbortController();
  const left = await request(url, { headers: app.session, signal: gone.signal });
  gone.abort();
  await expect(left.body.text()).rejects.toThrow("abort");
  const { session, signOut } = await app.signIn();
  const { body } = await request(url, { headers: session });
  const chunks = body[Symbol.asyncIterator]();
  expect(String((await chunks.next()).value)).toBe("retry: 1000\n\n");
  await signOut();
  app.clock.advance(2000);
  expect((await chunks.next()).done).toBe(true);
  goOn();
  await app.runs.idle();
});

test.each<[string, object | undefined, number, string]>([
  ["/run", { full: true }, 422, "validation_failed"],
  ["/stop", {}, 422, "validation_failed"],
  ["/stop", { runId: 0 }, 422, "validation_failed"],
  ["/stop", { runId: 77 }, 404, "not_found"],
  ["/stream/77", undefined, 404, "not_found"],
  ["/stream/x", undefined, 422, "validation_failed"],
  ["/stream/2147483648", undefined, 422, "validation_failed"],
])("%s %j is refused", async (path, body, status, code) => {
  const response = await app.askRunner(path, body);
  expect([response.status, response.error.code]).toEqual([status, code]);
});
