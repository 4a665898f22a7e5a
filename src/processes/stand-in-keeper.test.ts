import { closeSync, openSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../test/support/eventually.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { createLog } from "../platform/log.ts";
import { nodeBinary } from "../platform/paths.ts";
import { keepStandIn } from "./stand-in-keeper.ts";

test("a stand-in serves when told to, gives way to the next one, and is replaced when it dies", async () => {
  await using folder = await tempFolder();
  const notes = join(folder.path, "notes");
  const program = join(folder.path, "program.cjs");
  await writeFile(
    program,
    `const note = (word) => require("node:fs").appendFileSync(${JSON.stringify(notes)}, word + " " + process.pid + "\\n");
     process.on("message", (message) => { note(message); if (message === "end") process.exit(0); });
     note("ready"); process.send("ready");`,
  );
  const seen = async () =>
    (await readFile(notes, "utf8").catch(() => "")).split("\n").filter(Boolean);
  const words = async () => (await seen()).map((line) => line.split(" ")[0]);
  const descriptor = openSync("/dev/null", "r");
  const log = createLog({ level: "silent", name: "test" });
  const spec = { name: "stand-in", command: nodeBinary, args: [program], env: {}, descriptor };
  const keeper = keepStandIn({ spec, log, againMs: 10 });
  try {
    // The web process has never come to serve: the first one is started, and serves when it is ready.
    keeper.serve();
    await eventually(async () => expect(await words()).toEqual(["ready", "serve"]));
    keeper.rest();
    await eventually(async () => {
      expect((await words()).toSorted()).toEqual(["end", "ready", "ready", "serve"]);
    });
    const [, pid] = (await seen()).findLast((line) => line.startsWith("ready"))!.split(" ");
    process.kill(Number(pid), "SIGKILL");
    await eventually(async () => expect((await words()).at(-1)).toBe("ready"));
    await eventually(async () => expect(await words()).toHaveLength(5));
  } finally {
    keeper.stop();
    await keeper.ended;
    closeSync(descriptor);
  }
});

test("abuse 170: a stand-in that a visitor keeps busy does not hold the end of the program up", async () => {
  await using folder = await tempFolder();
  const program = join(folder.path, "program.cjs");
  const notes = join(folder.path, "notes");
  await writeFile(
    program,
    `process.on("SIGTERM", () => {}); process.on("message", () => {}); setInterval(() => {}, 1000);
     require("node:fs").writeFileSync(${JSON.stringify(notes)}, String(process.pid)); process.send("ready");`,
  );
  const descriptor = openSync("/dev/null", "r");
  const log = createLog({ level: "silent", name: "test" });
  const spec = { name: "stand-in", command: nodeBinary, args: [program], env: {}, descriptor };
  const keeper = keepStandIn({ spec, log, drainMs: 50 });
  keeper.rest();
  const pid = () => readFile(notes, "utf8").then(Number);
  await eventually(async () => expect(await pid()).toBeGreaterThan(0));
  keeper.stop();
  keeper.stop();
  await keeper.ended;
  expect(() => process.kill(Number(readFileSync(notes, "utf8")), 0)).toThrow("ESRCH");
  closeSync(descriptor);
});
