import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { type TempFolder, tempFolder } from "../../../../test/support/temp.ts";
import { openSlots, type Slots } from "./slots.ts";

let folder: TempFolder;

beforeEach(async () => {
  folder = await tempFolder();
  await mkdir(join(folder.path, "sites"));
});
afterEach(() => folder.remove());

const places = () => ({ slots: join(folder.path, "slots"), sites: join(folder.path, "sites") });
const slotsOf = (siteId: string | null, count = 1): Slots =>
  openSlots({ installation: places(), kind: "build", siteId, count });
const waiting = () => readdir(join(folder.path, "slots/build/waiting"));

test("abuse 217: a site with many queued builds delays another one's only build by one", async () => {
  const order: string[] = [];
  const { promise: running, resolve: finish } = Promise.withResolvers<void>();
  const noisy = slotsOf("noisy");
  const first = noisy.run(() => running);
  const many = Array.from({ length: 20 }, (_, at) =>
    noisy.run(async () => void order.push(`noisy ${at}`)),
  );
  await eventually(async () => expect(await waiting()).toHaveLength(20));
  const quiet = slotsOf("quiet").run(async () => void order.push("quiet"));
  const own = slotsOf(null).run(async () => void order.push("own"));
  await eventually(async () => expect(await waiting()).toHaveLength(22));
  finish();
  await Promise.all([first, quiet, own, ...many]);
  expect(order.slice(0, 2).toSorted()).toEqual(["own", "quiet"]);
  expect(order).toHaveLength(22);
  expect(await waiting()).toEqual([]);
});

test("no more run at once than there are slots, and a wait can be given up", async () => {
  let most = 0;
  let now = 0;
  const work = async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
  };
  const sites = ["a", "b", "c"].map((id) => slotsOf(id, 2));
  await Promise.all(sites.flatMap((slots) => [slots.run(work), slots.run(work)]));
  expect(most).toBe(2);
  const held = await slotsOf("a").take();
  const ending = new AbortController();
  const given = slotsOf("b").run(work, ending.signal);
  await eventually(async () => expect(await waiting()).toHaveLength(1));
  ending.abort(new Error("changed my mind"));
  await expect(given).rejects.toThrow("changed my mind");
  expect(await waiting()).toEqual([]);
  held.release();
});

test("without further sites, nobody waits and nothing is written", async () => {
  const alone = { slots: join(folder.path, "other"), sites: join(folder.path, "none") };
  const slots = openSlots({ installation: alone, kind: "build", siteId: null, count: 1 });
  const held = await slots.take();
  expect(await slots.run(async () => "at once")).toBe("at once");
  held.release();
  await expect(readdir(alone.slots)).rejects.toThrow("ENOENT");
});

async function startHolder(siteId: string): Promise<ChildProcess> {
  const file = join(folder.path, `${siteId}.mjs`);
  const options = JSON.stringify({ installation: places(), kind: "build", siteId, count: 1 });
  await writeFile(
    file,
    `import { openSlots } from ${JSON.stringify(join(import.meta.dirname, "slots.ts"))};
     await openSlots(${options}).take();
     process.send("held");
     setInterval(() => {}, 1000);`,
  );
  return fork(file);
}

test("abuse 217: a killed process holds up nobody, neither with a slot nor in line", async () => {
  const holder = await startHolder("killed");
  await once(holder, "message");
  const inLine = await startHolder("next");
  await eventually(async () => expect(await waiting()).toHaveLength(1));
  const done = slotsOf("late").run(async () => "done");
  await eventually(async () => expect(await waiting()).toHaveLength(2));
  for (const child of [inLine, holder]) {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
  expect(await done).toBe("done");
  expect(await waiting()).toEqual([]);
});
