import { createHash, hash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { dirname, join, relative } from "node:path";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { removeTree } from "../../../platform/files.ts";
import { programVersion } from "../../../platform/version.ts";
import { compiledFolder } from "./compiled-site.ts";
import type { Slot } from "./sandbox-bounds.ts";

// Compiling a site's code takes Astro and Vite longer than rendering its pages. What a build has
// compiled is kept under a key made of all that went into it; a build of the same code renders with it.
// It comes out of the sandbox and only ever runs in there again, as part of builds of the very code
// that it was compiled from. Every file is compared with its hash when it is used.

/** How many are kept; the one that was used longest ago goes first. */
const maxKept = 12;
const maxFiles = 4000;
const maxBytes = 64 * 2 ** 20;
const maxFileBytes = 16 * 2 ** 20;
/** How many files are read at once. */
const width = 8;
const indexFile = "index.json";

/** The version of all that compiles: what another one has compiled is not used. */
export async function readCompilerVersion(): Promise<string> {
  const folder = dirname(import.meta.dirname);
  const digest = createHash("sha256").update(`${programVersion()} ${process.version}\n`);
  for (const part of ["builder", "source-tags"]) {
    for (const name of (await readdir(join(folder, part))).toSorted()) {
      if (name.includes(".test.")) continue;
      digest.update(name).update(await readFile(join(folder, part, name)));
    }
  }
  for (const name of ["astro", "vite", "rolldown"]) {
    const file = findPackageJSON(name, import.meta.url);
    if (file === undefined) throw new Error(`${name} isn't installed`);
    digest.update(await readFile(file));
  }
  return digest.digest("hex");
}

/** By path below the folder the SHA-256 of each file. */
type Index = Record<string, string>;

/** The files below a folder that a sandbox has made; throws where anything else is there, or too much. */
export async function listFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  let bytes = 0;
  const visit = async (at: string): Promise<void> => {
    for (const name of await readdir(at)) {
      const path = join(at, name);
      const info = await lstat(path);
      bytes += info.size;
      if (info.isDirectory()) await visit(path);
      else if (info.isFile()) found.push(relative(folder, path));
      else throw new Error(`${path} is neither a file nor a folder`);
      const isTooLarge = info.isFile() && info.size > maxFileBytes;
      if (isTooLarge || found.length > maxFiles || bytes > maxBytes) {
        throw new Error(`${path} makes it too large`);
      }
    }
  };
  await visit(folder);
  return found;
}

/** Reads a file, but no link. */
export async function readNoFollow(path: string): Promise<Buffer> {
  const file: FileHandle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Compiled sites in a folder of their own. */
export interface CompiledStore {
  /**
   * The key of a site's code, by the hash of its sources (`hashSources`), its address and whether its
   * elements are tagged: all that goes into what is compiled.
   */
  keyOf(code: string, options: { baseUrl: string; tags: boolean }): Promise<string>;
  has(key: string): Promise<boolean>;
  /** Copies one to where a build in the slot reads it; false where there is none that is undamaged. */
  give(key: string, slot: Slot): Promise<boolean>;
  /** Keeps what a build has left in its output, if anything, and forgets what has long been unused. */
  keep(key: string, slot: Slot): Promise<void>;
}

/** Where a slot's build finds the compiled site, below its site folder. */
export const givenFolder = "compiled";

async function copyVerified(from: string, to: string): Promise<void> {
  const index = JSON.parse(await readFile(join(from, indexFile), "utf8")) as Index;
  const folders = new Set(Object.keys(index).map((path) => dirname(join(to, path))));
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o755 });
  await mapConcurrently(Object.entries(index), width, async ([path, expected]) => {
    const content = await readFile(join(from, path));
    if (hash("sha256", content, "hex") !== expected) throw new Error(`${path} is damaged`);
    await writeFile(join(to, path), content, { mode: 0o644, flag: "wx" });
  });
}

async function prune(dir: string): Promise<void> {
  const names = await readdir(dir);
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(dir, name))).mtimeMs })),
  );
  aged.sort((a, b) => b.at - a.at);
  for (const { name } of aged.slice(maxKept)) await removeTree(join(dir, name));
}

/** Opens the compiled sites in `dir`, which is made when the first one is kept. */
export function openCompiledStore(dir: string): CompiledStore {
  const folderOf = (key: string) => join(dir, key);
  let known: Promise<string> | undefined;
  const version = () => {
    known ??= readCompilerVersion().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  return {
    keyOf: async (code, { baseUrl, tags }) =>
      hash("sha256", JSON.stringify([await version(), code, baseUrl, tags]), "hex"),
    async has(key) {
      const info = await stat(join(folderOf(key), indexFile)).catch(() => undefined);
      return info !== undefined;
    },
    async give(key, slot) {
      const target = join(slot.site, givenFolder);
      try {
        await copyVerified(folderOf(key), target);
        await utimes(folderOf(key), new Date(), new Date());
        return true;
      } catch {
        // Missing or damaged: it is compiled again and kept anew.
        await Promise.all([removeTree(target), removeTree(folderOf(key))]);
        return false;
      }
    },
    async keep(key, slot) {
      const source = join(slot.out, compiledFolder);
      const temporary = join(dir, `.new-${process.pid}-${randomBytes(6).toString("hex")}`);
      try {
        const index: Index = {};
        for (const path of await listFiles(source)) {
          const content = await readNoFollow(join(source, path));
          await mkdir(dirname(join(temporary, path)), { recursive: true });
          await writeFile(join(temporary, path), content);
          index[path] = hash("sha256", content, "hex");
        }
        await writeFile(join(temporary, indexFile), JSON.stringify(index));
        await chmod(temporary, 0o700);
        await rename(temporary, folderOf(key));
        await prune(dir);
      } catch {
        // Nothing was left, it is kept already, or the disk is full: builds do without.
        await removeTree(temporary);
      }
    },
  };
}
