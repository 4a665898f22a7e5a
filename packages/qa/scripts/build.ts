import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/*
 * Compiles src/ to dist/, which is what gets published. In the repository Node runs the sources as they
 * are; it strips types from no file below a node_modules folder.
 */

const root = join(import.meta.dirname, "..");
const [sources, output] = [join(root, "src"), join(root, "dist")];
rmSync(output, { recursive: true, force: true });

const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", root], { stdio: ["ignore", 2, 2] });
if (status !== 0) process.exit(1);

// Scripts for pages are JavaScript already, and read as text.
for (const name of readdirSync(sources, { recursive: true, encoding: "utf8" })) {
  const from = join(sources, name);
  if (!name.endsWith(".ts") && statSync(from).isFile()) cpSync(from, join(output, name));
}
