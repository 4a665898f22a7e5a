import { join, resolve } from "node:path";

/** Where an instance keeps what it has. `data` is never in git; `current` is a link to one of `releases`. */
export interface InstancePaths {
  dir: string;
  configFile: string;
  content: string;
  data: string;
  database: string;
  keys: string;
  workspaces: string;
  artifacts: string;
  releases: string;
  current: string;
  uploads: string;
  /** Images that agents are shown and the site never gets. */
  references: string;
  builders: string;
  /** What builds have compiled of sites' code, for builds of the same code; may be removed at any time. */
  compiledSites: string;
  /** What Node has compiled of the program for processes that are started anew: they start sooner. */
  compileCache: string;
  /** The locks by which runners are known to live. */
  runners: string;
  installLock: string;
}

/** The layout of the instance in `dir`. Makes nothing. */
export function instancePaths(dir: string): InstancePaths {
  const root = resolve(dir);
  const data = join(root, "data");
  return {
    dir: root,
    configFile: join(root, "vitrine.json"),
    content: join(root, "content"),
    data,
    database: join(data, "vitrine.db"),
    keys: join(data, "keys"),
    workspaces: join(data, "workspaces"),
    artifacts: join(data, "artifacts"),
    releases: join(data, "releases"),
    current: join(data, "current"),
    uploads: join(data, "uploads"),
    references: join(data, "references"),
    builders: join(data, "builders"),
    compiledSites: join(data, "compiled-sites"),
    compileCache: join(data, "compile-cache"),
    runners: join(data, "runners"),
    installLock: join(data, "install.lock"),
  };
}

/** The folder of the program itself: the one that holds node_modules and packages. */
export const platformRoot = resolve(import.meta.dirname, "../../../..");

/** The folder of what `install` lays down as content. */
export const templateDir = join(platformRoot, "packages/template");

/** The Node that runs this process; children run under the same one. */
export const nodeBinary = process.execPath;
