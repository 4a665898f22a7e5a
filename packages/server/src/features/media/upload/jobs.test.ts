import { expect, test } from "vitest";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { makeJobs } from "./jobs.ts";

const hour = 60 * 60 * 1000;

test("a job is tracked from its first byte to its end, which is final", () => {
  const jobs = makeJobs({ clock: fakeClock() });
  jobs.start("a");
  jobs.received("a", 0.5);
  expect(jobs.find("a")).toMatchObject({ status: "receiving", progress: 0.5 });
  jobs.work("a", { status: "working", fraction: 1.2 });
  expect(jobs.find("a")).toMatchObject({ status: "working", progress: 1 });
  const details = { reason: "corrupt" };
  jobs.failed("a", new AppError("bad_media", "It is damaged.", { details }));
  jobs.work("a", { status: "working", fraction: 0 });
  expect(jobs.find("a")).toEqual({
    id: "a",
    status: "failed",
    progress: null,
    media: null,
    created: null,
    error: { code: "bad_media", message: "It is damaged.", details },
  });
});

test("an unexpected error is reported without its message", () => {
  const jobs = makeJobs({ clock: fakeClock() });
  jobs.start("a");
  jobs.failed("a", new Error("/secret/path is gone"));
  expect(jobs.find("a")?.error).toMatchObject({ code: "internal" });
  expect(JSON.stringify(jobs.list())).not.toContain("secret");
});

test("an ended job is removed after an hour, a running one never", () => {
  const clock = fakeClock();
  const jobs = makeJobs({ clock });
  jobs.start("ended");
  jobs.failed("ended", new Error("x"));
  jobs.start("going");
  clock.advance(hour - 1);
  expect(jobs.list().map(({ id }) => id)).toEqual(["going", "ended"]);
  clock.advance(1);
  expect(jobs.list().map(({ id }) => id)).toEqual(["going"]);
  clock.advance(100 * hour);
  expect(jobs.find("going")?.status).toBe("receiving");
});

test("if there are too many jobs, ended ones are removed first", () => {
  const jobs = makeJobs({ clock: fakeClock(), max: 3 });
  jobs.start("going");
  for (const id of ["a", "b", "c", "d"]) {
    jobs.start(id);
    jobs.failed(id, new Error("x"));
  }
  jobs.start("last");
  expect(jobs.list().map(({ id }) => id)).toEqual(["last", "d", "going"]);
});
