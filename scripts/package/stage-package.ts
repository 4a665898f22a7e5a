import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { compileFolder } from "./compile.ts";
import {
  conditions,
  type ProgramModules,
  stageDependencies,
  type StagedDependencies,
} from "./dependencies.ts";
import { readLockfile } from "./lockfile.ts";
import { bundleProcesses } from "./process-bundle.ts";
import { listSeparateModules } from "./separate-modules.ts";
import { traceImports } from "./trace.ts";

/** What is published as it is, by its path in the package. */
const copied = {
  LICENSE: "LICENSE",
  "README.md": "scripts/package/README.md",
  bin: "scripts/package/bin",
  deploy: "deploy",
  "packages/console/dist": "packages/console/dist",
  "packages/server/bin": "packages/server/bin",
  "packages/server/database": "packages/server/database",
  "packages/template/app": "packages/template/app",
  "packages/template/brand": "packages/template/brand",
  "packages/template/database": "packages/template/database",
  "packages/template/package.json": "packages/template/package.json",
  "packages/template/scripts": "packages/template/scripts",
  "node_modules/esbuild": "scripts/package/esbuild",
  "node_modules/vitrine-qa/LICENSE": "LICENSE",
};

interface Manifest {
  name?: string | undefined;
  version?: string | undefined;
  [field: string]: unknown;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function writeManifest(folder: string, manifest: Manifest): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * The program's own packages, with the paths they have in the repository: bundles of its processes,
 * and compiled, what these start.
 */
async function stageProgram(root: string, to: string): Promise<ProgramModules> {
  for (const [path, source] of Object.entries(copied)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(root, source), join(to, path), { recursive: true });
  }
  writeManifest(join(to, "packages/server"), { private: true, type: "module" });
  // The program imports the QA engine by its name.
  const engine = join(to, "node_modules/vitrine-qa");
  const engineSource = join(root, "packages/qa/");
  const { modules, externals } = await bundleProcesses(root, to, (source) => {
    const place = source.startsWith(engineSource)
      ? join(engine, source.slice(engineSource.length))
      : join(to, source.slice(root.length));
    return place.replace(/\.ts$/, ".js");
  });
  const entries = [...listSeparateModules(root), ...externals];
  const separate = await traceImports(entries, root, conditions.program);
  compileFolder(join(root, "packages/server/src"), join(to, "packages/server/src"), (file) =>
    separate.has(file),
  );
  compileFolder(join(root, "packages/qa/src"), join(engine, "src"));
  const { name, version, license, type } = readManifest(join(root, "packages/qa"));
  const exports = { ".": "./src/index.js", "./src/*": "./src/*" };
  writeManifest(engine, { name, version, license, type, exports });
  writeManifest(join(to, "node_modules/esbuild"), {
    ...readManifest(join(root, "scripts/package/esbuild")),
    version: readManifest(join(root, "node_modules/esbuild"))["version"],
  });
  return { separate, bundled: modules };
}

function packageManifest(root: string, { bundled, native }: StagedDependencies): Manifest {
  const { name, version, description, license, engines } = readManifest(root);
  const esbuild = readManifest(join(root, "node_modules/esbuild"))["version"];
  const dependencies = { ...bundled, esbuild, "vitrine-qa": version };
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

/**
 * Lays out the npm package in the folder `to`, from a repository whose console has been built. Gives
 * its package.json.
 */
export async function stagePackage(root: string, to: string): Promise<Manifest> {
  const program = await stageProgram(root, to);
  const dependencies = await stageDependencies(root, to, readLockfile(root), program);
  const manifest = packageManifest(root, dependencies);
  writeManifest(to, manifest);
  return manifest;
}
