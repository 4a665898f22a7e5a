/**
 * Makes the npm package `vitrine`: the compiled program, the console, the sample site, and what is
 * needed of their dependencies. Prints the path of its archive.
 *
 *   npm run package [-- --to FOLDER]
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { platformRoot } from "../packages/server/src/platform/paths.ts";
import { ensureConsole } from "./console-build.ts";
import { packArchive } from "./package/archive.ts";
import { stagePackage } from "./package/stage-package.ts";

const { values } = parseArgs({ options: { to: { type: "string", default: "." } } });
const staging = mkdtempSync(join(tmpdir(), "vitrine-package-"));
try {
  ensureConsole();
  const { name, version } = await stagePackage(platformRoot, staging);
  const to = resolve(values.to);
  mkdirSync(to, { recursive: true });
  const archive = join(to, `${name}-${version}.tgz`);
  await packArchive(staging, archive);
  console.log(archive);
} finally {
  rmSync(staging, { recursive: true, force: true });
}
