import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { findProductionFolders, type Lockfile, packageName } from "./lockfile.ts";
import { isInSideFolder, isLicense, listPackageFiles, type PackageFiles } from "./package-files.ts";
import { traceImports } from "./trace.ts";

/** The packages of the repository whose dependencies are needed at run time. */
const runtimePackages = ["packages/server", "packages/qa", "packages/template"];

/**
 * Optional stores for uploads, thread priorities, pg's connections on Cloudflare, and esbuild, which
 * esbuild/ replaces.
 */
const unused = /^(?:esbuild|@esbuild\/.+|@napi-rs\/nice.*|@redis\/client|ioredis|pg-cloudflare)$/;

/** Packages that load their own modules by computed names or paths: all modules are kept. */
const whole = /^(?:astro|@astrojs\/.+|vite|rolldown|sharp|piscina|pino|thread-stream|ajv|jsdom)$/;

/** Astro's components are TypeScript; other packages only contain what their modules were made from. */
const isUnusedSource = (name: string, path: string) =>
  path.endsWith(".ts") && !/^@?astro/.test(name);

const siteImport = /(?:\bfrom\s+|\bimport\s*\(?\s*)["']([^"']+)["']/g;

/** For the program, and for the code of a site on the server and in browsers. */
export const conditions = {
  program: ["node", "module-sync"],
  site: ["node", "module", "production"],
  browser: ["browser", "module", "production"],
};

export interface StagedDependencies {
  /** What the published package contains, by name: the packages that it needs directly. */
  bundled: Record<string, string>;
  /** Packages with machine code, of which npm installs those for the machine. */
  native: Record<string, string>;
}

/** An installed package and which of its files are kept. */
interface KeptPackage {
  /** Relative to the repository. */
  folder: string;
  paths: string[];
}

function directDependencies(lockfile: Lockfile): Record<string, string> {
  const all = runtimePackages.flatMap((from) => Object.entries(lockfile[from]?.dependencies ?? {}));
  return Object.fromEntries(all.toSorted());
}

/** Those for the systems that Vitrine runs on. */
function findNative(lockfile: Lockfile, folders: readonly string[]): Record<string, string> {
  const native = folders.flatMap((folder) => {
    const { os = [], cpu = [], version = "" } = lockfile[folder] ?? {};
    const isServed =
      os.some((name) => ["linux", "darwin"].includes(name)) &&
      cpu.some((name) => ["x64", "arm64"].includes(name));
    return isServed ? [[packageName(folder), version]] : [];
  });
  return Object.fromEntries(native);
}

/** The program's modules, by absolute path. */
export interface ProgramModules {
  /** Those that load other modules at run time, and what they load, packages' modules included. */
  separate: ReadonlySet<string>;
  /** Those that the bundles contain. */
  bundled: readonly string[];
}

/** What the sample site imports by name, and the main modules of the packages it may import. */
function listSiteImports(root: string, lockfile: Lockfile): string[] {
  const sources = globSync("packages/template/app/src/**/*.{astro,ts}", { cwd: root });
  const specifiers = sources.flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(siteImport)].map(([, name = ""]) => name),
  );
  const packages = Object.keys(lockfile["packages/template"]?.dependencies ?? {});
  const isPackage = (specifier: string) =>
    packages.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  // Fonts are files, all of which are kept.
  return [...new Set([...packages, ...specifiers.filter(isPackage)])].filter(
    (name) => !name.startsWith("@fontsource-variable/"),
  );
}

/** Everything that a site's code or a package kept whole imports, directly or not. */
async function traceAll(
  root: string,
  lockfile: Lockfile,
  files: ReadonlyMap<string, PackageFiles>,
): Promise<Set<string>> {
  const ofPackages = [...files].flatMap(([folder, { modules }]) => {
    if (!whole.test(packageName(folder))) return [];
    const started = modules.filter((path) => /\.[cm]?js$/.test(path) && !isInSideFolder(path));
    return started.map((path) => join(root, folder, path));
  });
  const imported = listSiteImports(root, lockfile);
  const found = await Promise.all([
    traceImports(ofPackages, root, conditions.program),
    traceImports(imported, root, conditions.site),
    traceImports(imported, root, conditions.browser),
  ]);
  return found.reduce((all, paths) => all.union(paths));
}

interface PackageUse {
  /** Whether something outside bundles imports a file of it. */
  isUsed(path: string): boolean;
  isBundled(path: string): boolean;
  /** Whether the program depends on it directly. */
  isDirect: boolean;
}

/**
 * Null if nothing imports it, the program doesn't depend on it directly, and the bundles contain
 * nothing of it. Those need its license.
 */
function keepFiles(
  folder: string,
  { modules, others }: PackageFiles,
  { isUsed, isBundled, isDirect }: PackageUse,
): KeptPackage | null {
  const kept = modules.filter((path) => isUsed(path));
  if (isDirect || kept.length > 0 || others.some(isUsed)) {
    return { folder, paths: [...kept, ...others] };
  }
  const licenses = others.filter((path) => isLicense(basename(path)));
  return modules.some(isBundled) ? { folder, paths: licenses } : null;
}

async function selectPackages(
  root: string,
  lockfile: Lockfile,
  folders: readonly string[],
  program: ProgramModules,
): Promise<KeptPackage[]> {
  const portable = folders.filter((folder) => {
    const { os, cpu } = lockfile[folder] ?? {};
    return os === undefined && cpu === undefined && existsSync(join(root, folder));
  });
  const files = new Map(portable.map((folder) => [folder, listPackageFiles(join(root, folder))]));
  const traced = (await traceAll(root, lockfile, files)).union(program.separate);
  const bundled = new Set(program.bundled);
  const direct = directDependencies(lockfile);
  return [...files].flatMap(([folder, listed]) => {
    const name = packageName(folder);
    const isUsed = (path: string) =>
      traced.has(join(root, folder, path)) ||
      (whole.test(name) && !isInSideFolder(path) && !isUnusedSource(name, path));
    const isDirect = Object.hasOwn(direct, name);
    const isBundled = (path: string) => bundled.has(join(root, folder, path));
    return keepFiles(folder, listed, { isUsed, isBundled, isDirect }) ?? [];
  });
}

/** A package.json without what would make npm install more, leave files out, or run scripts. */
function stagedManifest(text: string, staged: ReadonlySet<string>): string {
  const { dependencies = {}, ...manifest } = JSON.parse(text) as Record<string, unknown> & {
    dependencies?: Record<string, string>;
  };
  for (const field of ["optionalDependencies", "peerDependencies", "peerDependenciesMeta"]) {
    delete manifest[field];
  }
  for (const field of ["devDependencies", "scripts", "files", "bin", "bundleDependencies"]) {
    delete manifest[field];
  }
  const left = Object.entries(dependencies).filter(([name]) => staged.has(name));
  return `${JSON.stringify({ ...manifest, dependencies: Object.fromEntries(left) })}\n`;
}

/**
 * Copies what is needed of the installed dependencies at run time to `to`: modules that something
 * imports, and files that aren't modules, without typings, source maps, and documents.
 */
export async function stageDependencies(
  root: string,
  to: string,
  lockfile: Lockfile,
  program: ProgramModules,
): Promise<StagedDependencies> {
  const folders = findProductionFolders(lockfile, runtimePackages).filter(
    (folder) => !unused.test(packageName(folder)),
  );
  const packages = await selectPackages(root, lockfile, folders, program);
  const staged = new Set(packages.map(({ folder }) => packageName(folder)));
  for (const { folder, paths } of packages) {
    mkdirSync(join(to, folder), { recursive: true });
    for (const path of paths) {
      const target = join(to, folder, path);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(root, folder, path), target);
    }
    const text = readFileSync(join(root, folder, "package.json"), "utf8");
    writeFileSync(join(to, folder, "package.json"), stagedManifest(text, staged));
  }
  const direct = Object.entries(directDependencies(lockfile));
  const bundled = Object.fromEntries(direct.filter(([name]) => staged.has(name)));
  return { bundled, native: findNative(lockfile, folders) };
}
