/**
 * Keeps one site busy until its standard input ends: its owner saves a project again and again, makes previews, and
 * uploads photos, several at once, and its visitors ask for its home page. A program of its own, so that its
 * work doesn't delay what its parent measures. Reads its task from the standard input, one line, and prints
 * a `NoiseOutcome` once that is closed.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { createInterface } from "node:readline";
import {
  ask,
  firstProject,
  makePreview,
  type Owner,
  ownerWith,
  pageOf,
  saveSummary,
  type SiteAddress,
  waitForText,
} from "./site-client.ts";

export interface NoiseTask {
  address: SiteAddress;
  /** The owner's session. */
  cookie: string;
  /** The file of a photo. */
  photo: string;
  /** Makes what this task writes differ from that of others. */
  mark: string;
  /** How many uploads there are at once. */
  uploads: number;
  /** How many visitors ask in a second. */
  rate: number;
}

/** What the site has done. */
export interface NoiseOutcome {
  /** Until the last of its work had ended, and until the last visitor came. */
  seconds: number;
  visitSeconds: number;
  saves: number;
  previews: number;
  uploads: number;
  visits: number;
  /** Requests that were answered with an error, or not at all. */
  failures: number;
}

/** Visitors who wait longer than these don't come. */
const maxWaiting = 256;
const tickMs = 10;

const lines = createInterface({ input: process.stdin });
const [line] = (await once(lines, "line")) as [string];
const { address, cookie, photo, mark, uploads, rate } = JSON.parse(line) as NoiseTask;
const began = performance.now();
const secondsSince = (ms: number) => (performance.now() - ms) / 1000;
const outcome: NoiseOutcome = {
  seconds: 0,
  visitSeconds: 0,
  saves: 0,
  previews: 0,
  uploads: 0,
  visits: 0,
  failures: 0,
};
const ending = new AbortController();
lines.once("close", () => ending.abort());
const isOver = () => ending.signal.aborted;

async function again(
  name: "saves" | "previews" | "uploads",
  work: (turn: number) => Promise<void>,
) {
  for (let turn = 0; !isOver(); turn += 1) {
    try {
      await work(turn);
      outcome[name] += 1;
    } catch (error) {
      if (isOver()) return;
      outcome.failures += 1;
      console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      await delay(500);
    }
  }
}

async function saveOnce(owner: Owner, turn: number): Promise<void> {
  const wanted = `Noise ${mark}, number ${turn}.`;
  const project = await firstProject(owner);
  await saveSummary(owner, project, wanted);
  await waitForText(address, pageOf(project), wanted, 50);
}

async function previewOnce(owner: Owner, turn: number): Promise<void> {
  const runId = await makePreview(owner, `replace "dull" with "noise${turn}" on /`);
  await owner.post("/devconsole/discard", { runId });
}

async function uploadOnce(bytes: Buffer, name: string): Promise<void> {
  const body = new FormData();
  // After the end of the image: another file, with the same image.
  body.set("file", new File([new Uint8Array(bytes), name], `${name}.jpg`));
  const { status } = await ask(address, "/api/media/upload", { method: "POST", body, cookie });
  if (status !== 201) throw new Error(`An upload was answered with ${status}.`);
}

async function visitOnce(): Promise<void> {
  const status = await ask(address, "/").then(
    (answer) => answer.status,
    () => 0,
  );
  if (status === 200) outcome.visits += 1;
  else outcome.failures += 1;
}

async function visit(): Promise<void> {
  let waiting = 0;
  let due = 0;
  while (!isOver()) {
    due += (rate * tickMs) / 1000;
    for (; due >= 1; due -= 1) {
      if (waiting >= maxWaiting) continue;
      waiting += 1;
      void visitOnce().finally(() => {
        waiting -= 1;
      });
    }
    await delay(tickMs);
  }
  outcome.visitSeconds = secondsSince(began);
}

const owner = ownerWith(address, cookie);
const bytes = await readFile(photo);
await Promise.all([
  again("saves", (turn) => saveOnce(owner, turn)),
  again("previews", (turn) => previewOnce(owner, turn)),
  ...Array.from({ length: uploads }, (_value, place) =>
    again("uploads", (turn) => uploadOnce(bytes, `${mark}-${place}-${turn}`)),
  ),
  visit(),
]);
outcome.seconds = secondsSince(began);
console.log(JSON.stringify(outcome));
