/**
 * Makes the npm package `vitrine`: the compiled program, the console, the sample site, and what is
 * needed of their dependencies.
 *
 *   npm run package [-- --to FOLDER]
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { platformRoot } from "../packages/server/src/platform/paths.ts";
import { ensureConsole } from "./console-build.ts";
import { compileFolder } from "./package/compile.ts";
import { type StagedDependencies, stageDependencies } from "./package/dependencies.ts";
import { readLockfile } from "./package/lockfile.ts";

/** What is published as it is. */
const copied = [
  "LICENSE",
  "deploy",
  "packages/console/dist",
  "packages/server/bin",
  "packages/server/database",
  "packages/template",
];

const read = (path: string) => readFileSync(join(platformRoot, path), "utf8");
const readJson = (path: string) => JSON.parse(read(path)) as Record<string, unknown>;
const writeJson = (path: string, value: object) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
};

function stageProgram(to: string): void {
  for (const path of copied) cpSync(join(platformRoot, path), join(to, path), { recursive: true });
  rmSync(join(to, "packages/template/node_modules"), { recursive: true, force: true });
  compileFolder(join(platformRoot, "packages/server/src"), join(to, "packages/server/src"));
  writeJson(join(to, "packages/server/package.json"), { private: true, type: "module" });
  cpSync(join(platformRoot, "scripts/package/bin"), join(to, "bin"), { recursive: true });
  chmodSync(join(to, "bin/vitrine.cjs"), 0o755);
  cpSync(join(platformRoot, "scripts/package/README.md"), join(to, "README.md"));
}

/** The QA engine, which the program imports by its name. */
function stageEngine(to: string): void {
  const folder = join(to, "node_modules/vitrine-qa");
  compileFolder(join(platformRoot, "packages/qa/src"), join(folder, "src"));
  cpSync(join(platformRoot, "LICENSE"), join(folder, "LICENSE"));
  const { name, version, license, type } = readJson("packages/qa/package.json");
  const exports = { ".": "./src/index.js", "./src/*": "./src/*" };
  writeJson(join(folder, "package.json"), { name, version, license, type, exports });
}

function stageEsbuild(to: string): void {
  const folder = join(to, "node_modules/esbuild");
  const { version } = readJson("node_modules/esbuild/package.json");
  cpSync(join(platformRoot, "scripts/package/esbuild"), folder, { recursive: true });
  const description = "Stands in for esbuild in Vitrine.";
  writeJson(join(folder, "package.json"), {
    name: "esbuild",
    version,
    description,
    license: "MIT",
    type: "module",
    exports: "./index.js",
  });
}

function packageManifest({ bundled, native }: StagedDependencies): object {
  const { name, version, description, license, engines } = readJson("package.json");
  const dependencies = { ...bundled, "vitrine-qa": version, esbuild: readJson("node_modules/esbuild/package.json")["version"] };
  return {
    name,
    version,
    description,
    keywords: ["agent", "astro", "cms", "portfolio", "self-hosted", "website"],
    license,
    type: "module",
    bin: { vitrine: "bin/vitrine.cjs" },
    files: ["bin", "deploy", "packages"],
    engines,
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    optionalDependencies: native,
  };
}

const { values } = parseArgs({ options: { to: { type: "string", default: "." } } });
const staging = mkdtempSync(join(tmpdir(), "vitrine-package-"));
try {
  ensureConsole();
  stageProgram(staging);
  const dependencies = await stageDependencies(platformRoot, staging, readLockfile(platformRoot));
  stageEngine(staging);
  stageEsbuild(staging);
  writeJson(join(staging, "package.json"), packageManifest(dependencies));
  const to = resolve(values.to);
  mkdirSync(to, { recursive: true });
  const args = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", to];
  const packed = execFileSync("npm", args, { cwd: staging, encoding: "utf8" });
  console.log(join(to, packed.trim()));
} finally {
  if (!process.env.KEEP) rmSync(staging, { recursive: true, force: true }); else console.log(staging);
}
