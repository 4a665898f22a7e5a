import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A package in package-lock.json. */
export interface LockedPackage {
  version?: string;
  resolved?: string;
  link?: boolean;
  bin?: Record<string, string>;
  os?: string[];
  cpu?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** All packages of package-lock.json, by their folder relative to the repository. */
export type Lockfile = Readonly<Record<string, LockedPackage>>;

export function readLockfile(root: string): Lockfile {
  const text = readFileSync(join(root, "package-lock.json"), "utf8");
  return (JSON.parse(text) as { packages: Lockfile }).packages;
}

/** The name of the package in a folder such as `node_modules/a/node_modules/@b/c`. */
export function packageName(folder: string): string {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}

/** The folder that Node finds a package in, from another package's folder; undefined if in none. */
function resolveFolder(lockfile: Lockfile, from: string, name: string): string | undefined {
  let at = from;
  for (;;) {
    const folder = at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    const found = lockfile[folder];
    if (found !== undefined) return found.link ? found.resolved : folder;
    if (at === "") return undefined;
    const parent = at.lastIndexOf("/node_modules/");
    at = parent < 0 ? "" : at.slice(0, parent);
  }
}

/** The names of the packages that a package needs at run time, optional ones included. */
function neededNames(described: LockedPackage): string[] {
  const { dependencies, optionalDependencies, peerDependencies = {} } = described;
  const peers = Object.keys(peerDependencies).filter(
    (name) => !described.peerDependenciesMeta?.[name]?.optional,
  );
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/**
 * The folders of all packages that these packages of the repository need at run time, on any
 * machine, without the repository's own packages.
 */
export function findProductionFolders(lockfile: Lockfile, roots: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (folder: string): void => {
    for (const name of neededNames(lockfile[folder] ?? {})) {
      const next = resolveFolder(lockfile, folder, name);
      if (next === undefined || found.has(next)) continue;
      found.add(next);
      visit(next);
    }
  };
  for (const root of roots) visit(root);
  return [...found].filter((folder) => folder.includes("node_modules/")).toSorted();
}
