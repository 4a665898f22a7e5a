import { join, relative } from "node:path";
import { type Bundled, bundlePrograms, type SourceLocation, sourceLocation } from "./bundle.ts";

const processes = "packages/server/src/processes";

/** The processes that a running instance and its commands consist of, and what npx starts. */
const names = ["main", "npx", "web", "runner", "front", "sites"];

const programsOf = (root: string) =>
  Object.fromEntries(names.map((name) => [name, join(root, processes, `${name}.ts`)]));

/** The same as `place`, in code of a bundle in the folder `to` that may be moved with the place. */
function relativeLocation(place: string, to: string): SourceLocation {
  const path = JSON.stringify(relative(to, place));
  const folder = JSON.stringify(relative(to, join(place, "..")));
  const fromBundle = (rest: string) =>
    `process.getBuiltinModule("node:path").join(import.meta.dirname, ${rest})`;
  return {
    dirname: fromBundle(folder),
    filename: fromBundle(path),
    url: `new URL(${path}, import.meta.url).href`,
  };
}

/**
 * Puts bundles of a repository's processes into the package that is laid out in `to`.
 * @param placeOf where in the package a module of the repository was compiled to
 */
export async function bundleProcesses(
  root: string,
  to: string,
  placeOf: (source: string) => string,
): Promise<Bundled> {
  const folder = join(to, processes);
  return bundlePrograms({
    programs: programsOf(root),
    to: folder,
    extension: ".js",
    locate: (source) => relativeLocation(placeOf(source), folder),
    nameExternal: (name) => name,
  });
}

/**
 * Bundles the processes for the tests, which start them hundreds of times. They look for other files,
 * such as programs of workers, in the repository.
 */
export async function bundleTestedProcesses(root: string, to: string): Promise<void> {
  // It says where the programs of processes are.
  const specs = join(root, processes, "process-specs.ts");
  await bundlePrograms({
    programs: programsOf(root),
    to,
    extension: ".mjs",
    locate: (source) => (source === specs ? null : sourceLocation(source)),
    nameExternal: (_name, file) => file,
  });
}
