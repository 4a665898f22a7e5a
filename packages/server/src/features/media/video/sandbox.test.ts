import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  placesWithin,
  runInMachineWithout,
} from "../../../../../../test/support/machine-without.ts";
import { tempFolder } from "../../../../../../test/support/temp.ts";

const script = `
import { mkdirSync } from "node:fs";
import { openVideoSandbox } from ${JSON.stringify(join(import.meta.dirname, "sandbox.ts"))};
const [, , dir] = process.argv;
mkdirSync(dir + "/out");
const { sandbox, reason } = await openVideoSandbox("auto", {});
const call = (input, args) => sandbox.run({
  program: "ffmpeg",
  input: dir + "/" + input,
  output: dir + "/out",
  arguments: (paths) => args(paths),
  fileBytes: 2 ** 20,
  cpuMs: 20_000,
  silenceMs: 60_000,
  signal: new AbortController().signal,
});
const made = await call("in.txt", ({ output }) => ["-v", "error", "-f", "lavfi", "-i", "testsrc=d=0.2", output + "/made.mp4"]);
const other = await call("in.txt", ({ output }) => ["-v", "error", "-f", "concat", "-safe", "0", "-i", dir + "/secret.txt", output + "/other.mp4"]);
console.log(JSON.stringify({ tier: sandbox.tier, reason, made: made.code, other: other.complaints }));
`;

test("abuse 76: without bubblewrap, Landlock contains video programs", async () => {
  await using folder = await tempFolder();
  for (const name of ["in.txt", "secret.txt"]) await writeFile(join(folder.path, name), "");
  await chmod(join(folder.path, "secret.txt"), 0o644);
  const output = await runInMachineWithout({
    hidden: ["/usr/bin/bwrap"],
    folder,
    unprivileged: true,
    script,
    args: [placesWithin.data],
  });
  expect(JSON.parse(output)).toEqual({
    tier: "landlock",
    reason: null,
    made: 0,
    other: expect.stringContaining("Permission denied"),
  });
  expect((await readFile(join(folder.path, "out/made.mp4"))).length).toBeGreaterThan(1000);
});
