import { expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { makeSiteJobs } from "./jobs.ts";

interface Step {
  onProgress(line: string): void;
  end(link?: string | null): void;
  fail(error: Error): void;
}

function setUp() {
  const clock = fakeClock();
  const unexpected: unknown[] = [];
  const jobs = makeSiteJobs({ clock, onError: (_name, error) => unexpected.push(error) });
  /** Starts a job whose steps the test decides. */
  function begin(name: string, kind: "create" | "remove" = "create") {
    const { promise, resolve, reject } = Promise.withResolvers<{ link: string | null }>();
    let step: Step | undefined;
    const started = jobs.start({ name, kind }, (onProgress) => {
      step = { onProgress, end: (link = null) => resolve({ link }), fail: reject };
      return promise;
    });
    started.catch(() => {});
    return { started, ...(step as unknown as Step) };
  }
  const states = async () => (await jobs.list()).map(({ name, state }) => `${name} ${state}`);
  return { clock, jobs, begin, states, unexpected };
}

test("a job continues without its caller, and keeps its link until it is dismissed", async () => {
  const { jobs, begin, states } = setUp();
  const anna = begin("anna");
  anna.onProgress("Installing");
  expect(await anna.started).toMatchObject({ state: "running", progress: "Installing" });
  await jobs.dismiss("anna");
  expect(await states()).toEqual(["anna running"]);
  anna.end("https://anna.example/admin/x");
  await expect.poll(states).toEqual(["anna done"]);
  const [job] = await jobs.list();
  expect(job).toMatchObject({ link: "https://anna.example/admin/x", error: null });
  expect(Object.keys(job ?? {})).not.toContain("endedAt");
  await jobs.dismiss("anna");
  expect(await jobs.list()).toEqual([]);
});

test("what is refused before anything has changed is the caller's error and leaves no job", async () => {
  const { begin, states } = setUp();
  const fields = { domain: "belongs to the site “bob”" };
  const anna = begin("anna");
  anna.fail(new AppError("already_exists", "Taken.", { fields }));
  await expect(anna.started).rejects.toMatchObject({ code: "already_exists", fields });
  expect(await states()).toEqual([]);
});

test("a later failure is shown, and a new attempt takes its place unless it is refused", async () => {
  const { jobs, begin, states, unexpected } = setUp();
  const anna = begin("anna");
  anna.onProgress("Installing");
  anna.fail(new Error("boom"));
  await expect.poll(states).toEqual(["anna failed"]);
  // Only what a person may read.
  expect((await jobs.list())[0]?.error?.message).not.toContain("boom");
  expect(unexpected).toHaveLength(1);
  const refused = begin("anna");
  expect(await states()).toEqual(["anna running"]);
  refused.fail(new AppError("locked", "Busy."));
  await expect(refused.started).rejects.toThrow("Busy.");
  expect(await states()).toEqual(["anna failed"]);
  const again = begin("anna");
  again.end();
  await again.started;
  expect(await states()).toEqual(["anna done"]);
});

test("one job for each site, three at once, and ended ones are kept for an hour", async () => {
  const { clock, begin, states } = setUp();
  const running = ["a", "b", "c"].map((name) => begin(name));
  await expect(begin("a").started).rejects.toMatchObject({ code: "locked" });
  await expect(begin("d").started).rejects.toMatchObject({ code: "unavailable" });
  for (const job of running) job.end();
  await Promise.all(running.map(({ started }) => started));
  expect(await states()).toEqual(["c done", "b done", "a done"]);
  clock.advance(60 * 60_000);
  expect(await states()).toEqual([]);
  for (let at = 0; at < 25; at += 1) {
    const job = begin(`site-${at}`, "remove");
    job.end();
    await job.started;
  }
  expect(await states()).toHaveLength(20);
  expect((await states())[0]).toBe("site-24 done");
});
