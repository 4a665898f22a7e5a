/**
 * Publishes one run after the other until it is killed: `publisher.ts <instance> <first> <step> <nth>`.
 * Prints a line when a run is acknowledged, and before it a line with the time recovery took. With a
 * step it kills itself at the nth time that step is over, which hits every gap for certain. Each run
 * changes a record as well, while somebody saves another field of it, or creates a project.
 */
import { writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { removeWorkspace } from "../../../packages/server/src/features/workspace/workspace.ts";
import { buildArtifact, openInstance } from "./publish-instance.ts";
import { createsProject, newSlug, publishedSlugs, saveSummary, stageRecords } from "./records.ts";
import { startRunningClock } from "../running-clock.ts";

const [dir = "", first = "1", stopAt = "", nth = "1"] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);

let seen = 0;
const instance = openInstance(dir, {
  onStep(step) {
    if (step !== stopAt) return;
    seen += 1;
    if (seen === Number(nth)) process.kill(process.pid, "SIGKILL");
  },
});

using clock = startRunningClock();
await instance.publisher.recover();
say(`recovered ${Math.round(clock.elapsed())}`);

for (let number = Number(first); ; number += 1) {
  const runId = `RUN${number}`;
  // From here on, the number is used: a killed publisher leaves rows of the run before it begins.
  say(`next ${runId}`);
  await removeWorkspace(instance.repository, runId);
  const home = `<h1>Home ${number}</h1>\n`;
  const workspace = await instance.workspace(runId, {
    "app/src/pages/index.astro": home,
    // A folder that comes and goes, so that files are added and removed as well.
    [`app/src/parts/${number % 3}/part.ts`]: `${number}\n${"x".repeat(number % 2 ? 5000 : 50)}\n`,
  });
  const records = await stageRecords(instance, runId, number);
  const slugs = await publishedSlugs(instance);
  if (createsProject(number)) slugs.push(newSlug(number));
  const artifact = await buildArtifact(instance.paths, workspace.dir, slugs);
  say(`begin ${runId}`);
  const saving = saveSummary(instance, number).then(() => say(`saved ${number}`));
  const request = await instance.request(workspace, { ...records, artifact });
  const { commit, release } = await instance.publisher.publish(request);
  say(`ack ${runId} ${commit} ${release}`);
  await saving;
  await removeWorkspace(instance.repository, runId);
  const live = await readFile(join(instance.paths.current, "index.html"), "utf8");
  if (live !== home) throw new Error(`Acknowledged ${home}, but ${live} is live.`);
}
