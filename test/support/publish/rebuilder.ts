/**
 * Saves a record, stores a file and rebuilds, again and again, until it is killed:
 * `rebuilder.ts <instance> <first> <step> <nth>`. Prints a line when a record is saved, and one when
 * it is live. With a step it kills itself at the nth time that step is over.
 */
import { writeSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { openInstance } from "./publish-instance.ts";
import { sampleBuilder, sampleRebuilder, saveRecord, storeMedia } from "./rebuilding.ts";
import { startRunningClock } from "../running-clock.ts";

const [dir = "", first = "1", stopAt = "", nth = "1"] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);

let seen = 0;
const onStep = (step: string) => {
  if (step !== stopAt) return;
  seen += 1;
  if (seen === Number(nth)) process.kill(process.pid, "SIGKILL");
};
const instance = openInstance(dir, { onStep });
const builder = sampleBuilder(instance.paths);
const rebuilder = sampleRebuilder(instance, builder, { onStep });

using clock = startRunningClock();
await instance.publisher.recover();
await rebuilder.recover();
say(`recovered ${Math.round(clock.elapsed())}`);

for (let number = Number(first); ; number += 1) {
  const published = number % 4 !== 3;
  await saveRecord(instance.database.db, { name: "atlas", text: `Map ${number}`, published });
  say(`saved ${number}`);
  // After the save: no rebuild would learn of a file that is added or removed just before a kill.
  const media = join(instance.paths.content, "app/public/media/2026");
  await storeMedia(instance.paths, `m${number}.webp`, `picture ${number} ${"x".repeat(5000)}`);
  await rm(join(media, `m${number - 3}.webp`), { force: true });
  if ((await rebuilder.runOnce()) !== "done") throw new Error("The rebuild failed.");
  const live = await readFile(join(instance.paths.current, "index.html"), "utf8");
  if (live.includes(`Map ${number}`) !== published) throw new Error(`${number} is not live.`);
  say(`live ${number}`);
}
