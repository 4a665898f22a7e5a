import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { flatPng } from "../../../../../../test/support/image-bytes.ts";
import {
  placesWithin,
  runInMachineWithout,
} from "../../../../../../test/support/machine-without.ts";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { launch } from "../../../platform/sandbox/launch.ts";
import { sandboxUser } from "../sandbox-user.ts";
import { workerCommand } from "./sandbox.ts";
import { makeWorkerWorkspace } from "./worker-folders.ts";

test("abuse 209: an image worker reads no other files, reaches no network, and isn't root", async () => {
  await using folder = await tempFolder();
  const secret = join(folder.path, "secret.txt");
  await writeFile(secret, "secret", { mode: 0o644 });
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const workspace = await makeWorkerWorkspace(join(folder.path, "workers"), sandboxUser());
  const { command, args } = workerCommand("bubblewrap", workspace, 60);
  const probe = "../../release/builder/sandbox-probe.ts";
  const script = join(args.at(-1) ?? "", "..", probe);
  const { port } = server.address() as AddressInfo;
  const program = [...args.slice(0, -1), script, "/out", secret, String(port)];
  const sandboxed = await launch(
    { command, args: program },
    { contained: "bubblewrap", cwd: "/", env: {} },
  );
  const answered = Promise.withResolvers<string>();
  sandboxed.onMessage(answered.resolve);
  for (const stream of sandboxed.output) stream.resume();
  expect(JSON.parse(await answered.promise)).toEqual({ problems: [] });
  await sandboxed.exited;
  server.close();
});

const script = `
import { mkdirSync } from "node:fs";
import { defaultLimits } from ${JSON.stringify(join(import.meta.dirname, "../../../platform/config.ts"))};
import { makeImageWorkers } from ${JSON.stringify(join(import.meta.dirname, "workers.ts"))};
const [, , dir, mode] = process.argv;
mkdirSync(dir + "/out");
const logged = [];
const note = (_object, message) => logged.push(message);
const log = { warn: note, error: note };
const images = makeImageWorkers({
  limits: defaultLimits.media, log, dir: dir + "/workers", sandbox: mode,
});
const made = await images.convert({ file: dir + "/in.png", outDir: dir + "/out", stem: "stem" }).then(
  ({ file, width }) => ({ file, width }),
  ({ code, message }) => ({ code, message }),
);
await images.close();
console.log(JSON.stringify({ made, logged }));
`;

async function convertWithout(hidden: string[], mode: string): Promise<unknown> {
  await using folder = await tempFolder();
  await writeFile(join(folder.path, "in.png"), flatPng(40, 20));
  const machine = { hidden, folder, unprivileged: true, script };
  return JSON.parse(await runInMachineWithout({ ...machine, args: [placesWithin.data, mode] }));
}

test("abuse 209: without bubblewrap, Landlock contains image workers; without both, the log says so", async () => {
  const made = { file: "stem.webp", width: 40 };
  expect(await convertWithout(["/usr/bin/bwrap"], "require")).toEqual({ made, logged: [] });
  const both = ["/usr/bin/bwrap", "/usr/bin/perl"];
  const logged = ["images aren't sandboxed"];
  expect(await convertWithout(both, "auto")).toEqual({ made, logged });
  expect(await convertWithout(both, "require")).toEqual({
    made: {
      code: "unavailable",
      message: expect.stringContaining("Images need the sandbox (SANDBOX=require)"),
    },
    logged: [],
  });
});
