import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const isSource = (path: string) => !/\.(?:test|fixture|d)\.ts$/.test(path);

/** A module's name in a text, as of a worker's program; in an import, it is bundled with the rest. */
const namedModule =
  /(?<!\bfrom |\bimport |\bimport\()["'`](?:\$\{\w+\}\/)?([^"'`\n$]*[\w-]\.ts)["'`]/g;

/** The modules that a module names in texts, relative to itself or to the repository. */
function listNamedModules(file: string, root: string): string[] {
  const names = [...readFileSync(file, "utf8").matchAll(namedModule)].map(([, name = ""]) => name);
  return names.flatMap((name) =>
    [resolve(dirname(file), name), resolve(root, name)].filter((path) => existsSync(path)),
  );
}

/**
 * Lists the modules that are started as programs or threads of their own, outside the bundles of
 * processes, and those of the QA engine, which loads its parts by their names. Gives absolute paths.
 */
export function listSeparateModules(root: string): string[] {
  const list = (pattern: string) =>
    globSync(pattern, { cwd: root })
      .filter(isSource)
      .map((path) => join(root, path));
  const named = list("packages/server/src/**/*.ts").flatMap((file) => listNamedModules(file, root));
  const started = named.filter((file) => file.startsWith(join(root, "packages/server/src/")));
  return [...new Set([...started, ...list("packages/qa/src/**/*.ts")])];
}
