import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The paths of an instance. `data` is never in git; `current` is a link to one of `releases`. */
export interface InstancePaths {
  dir: string;
  configFile: string;
  content: string;
  data: string;
  database: string;
  /** Which database has the records; missing until they are moved. */
  activeDatabase: string;
  /** The state of a move to another database, and its lock. */
  databaseMove: string;
  keys: string;
  workspaces: string;
  artifacts: string;
  releases: string;
  current: string;
  uploads: string;
  /** Images that agents see and that are never part of the site. */
  references: string;
  builders: string;
  /** Compiled code of sites, for builds of the same code; can be deleted at any time. */
  compiledSites: string;
  /** Node's compiled code of the program, so that processes start sooner. */
  compileCache: string;
  /** The same for builders, which can only read it; can be deleted at any time. */
  builderCode: string;
  /** The log, if it goes to files. */
  logs: string;
  /** Locks that show which runners are alive. */
  runners: string;
  installLock: string;
  /** Whole programs that upgrades have put beside the first one, by their versions. */
  programs: string;
  /** A link to the one of `programs` that serves this instance; missing before the first upgrade. */
  program: string;
  /** The state of the last upgrade, and what one that is running works with. */
  upgrade: string;
  /** Held by the supervisor that serves this instance. */
  supervisorLock: string;
  /** The further sites of this installation, each an instance of its own; missing without any. */
  sites: string;
  /** The registry of further sites, unless it is in PostgreSQL. */
  siteRegistry: string;
  /** Locks by which the sites of this installation take turns at heavy work. */
  slots: string;
}

/** The layout of the instance in `dir`. Creates nothing. */
export function instancePaths(dir: string): InstancePaths {
  const root = resolve(dir);
  const data = join(root, "data");
  return {
    dir: root,
    configFile: join(root, "vitrine.json"),
    content: join(root, "content"),
    data,
    database: join(data, "vitrine.db"),
    activeDatabase: join(data, "database.json"),
    databaseMove: join(data, "database-move"),
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
    builderCode: join(data, "builder-code"),
    logs: join(data, "logs"),
    runners: join(data, "runners"),
    installLock: join(data, "install.lock"),
    programs: join(root, "programs"),
    program: join(root, "program"),
    upgrade: join(data, "upgrade"),
    supervisorLock: join(data, "supervisor.lock"),
    sites: join(root, "sites"),
    siteRegistry: join(data, "sites.db"),
    slots: join(data, "slots"),
  };
}

/** The folder of the program itself, which contains node_modules and packages. */
export const platformRoot = resolve(import.meta.dirname, "../../../..");

/** The folder that `install` copies as content. */
export const templateDir = join(platformRoot, "packages/template");

/** The Node that runs this process; children use the same one. */
export const nodeBinary = process.execPath;

/** Node strips no types below a node_modules folder, so the published package is compiled. */
const moduleExtension = extname(import.meta.filename);

/**
 * The path of a module that is started as a process or thread instead of imported: in the published
 * package, that of the `.js` file that its `.ts` file was compiled to.
 * @param source the `.ts` file's path or file URL
 */
export function programFile(source: string | URL): string {
  const path = typeof source === "string" ? source : fileURLToPath(source);
  return path.replace(/\.ts$/, moduleExtension);
}
