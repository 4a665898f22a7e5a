import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { flatPng } from "../../../../../../test/support/image-bytes.ts";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { AppError } from "../../../kit/errors.ts";
import { createLog } from "../../../platform/log.ts";
import { makeJobs } from "./jobs.ts";
import { makeProcessing } from "./tus-processing.ts";
import type { ClaimedUpload } from "./tus-store.ts";

const id = "01KB0000000000000000000000";
const log = createLog({ level: "silent", name: "test" });

/** Processing over a store of which each claim is the next of these. */
async function openProcessing(claims: ((signal: AbortSignal) => Promise<ClaimedUpload | null>)[]) {
  const folder = await tempFolder();
  onTestFinished(() => folder.remove());
  const file = join(folder.path, id);
  const bytes = flatPng(8, 8);
  await writeFile(file, bytes);
  const calls: string[] = [];
  const call = (name: string) => async () => void calls.push(name);
  const upload: ClaimedUpload = {
    id,
    file,
    size: bytes.length,
    originalName: "a.png",
    alt: "",
    signal: new AbortController().signal,
    end: call("end"),
    release: call("release"),
  };
  const next = [...claims, async () => upload];
  const processing = makeProcessing({
    folder: folder.path,
    jobs: makeJobs({ clock: fakeClock(0) }),
    log,
    retryMs: 1,
    store: {
      claim: async (_id, signal) => (await next.shift()?.(signal)) ?? null,
      drop: call("drop"),
    },
    uploadQueue: {
      async add() {
        calls.push("add");
        throw new AppError("bad_media", "It can't be read.");
      },
    },
  });
  onTestFinished(() => processing.close());
  return { processing, calls };
}

test("a complete upload that can't be read now is tried again, without a restart", async () => {
  const fail = async () => Promise.reject(new Error("EIO"));
  const { processing, calls } = await openProcessing([fail, fail]);
  processing.start(id);
  await eventually(() => expect(calls).toEqual(["add", "end"]));
});

test("what is cancelled while it is claimed is removed, whatever comes of the claim", async () => {
  const aborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  const outcomes = [
    async (signal: AbortSignal) => aborted(signal).then(() => null),
    async (signal: AbortSignal) => aborted(signal).then(() => Promise.reject(new Error("away"))),
  ];
  for (const outcome of outcomes) {
    const { processing, calls } = await openProcessing([outcome]);
    processing.start(id);
    expect(await processing.cancel(id)).toBe(true);
    expect(calls).toEqual(["drop"]);
    expect(processing.has(id)).toBe(false);
  }
});

test("an upload that can't be read stays if the process ends", async () => {
  const { processing, calls } = await openProcessing([
    async () => Promise.reject(new Error("away")),
    async () => Promise.reject(new Error("away")),
  ]);
  processing.start(id);
  await processing.close();
  expect(calls).toEqual([]);
});
