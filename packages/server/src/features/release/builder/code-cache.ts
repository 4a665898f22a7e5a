import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { chmod, mkdir, readdir, rename, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { removeTree } from "../../../platform/files.ts";
import { listFiles, readCompilerVersion, readNoFollow } from "./compiled-store.ts";
import type { Slot } from "./sandbox-bounds.ts";

// A builder spends more time on loading Astro, Vite, and our own code than on rendering a small site.
// Node can keep what it has compiled in a folder. Only a sandbox that never sees a site writes this one;
// builders read it and can't change it.

/** Compiled code that builders can use. */
export interface CompiledCode {
  folder: string;
  /** The name by which Node finds it, without the user's ID, which Node appends. */
  name: string;
}

/** What a builder does with compiled code: uses it, has none, or makes it. */
export type CodeUse = CompiledCode | null | "make";

export interface CodeCache {
  /** What this version of the program can use; null before it was made. */
  find(): CompiledCode | null;
  /** Keeps what a builder without a site has left in its output, instead of that of other versions. */
  keep(slot: Slot): Promise<void>;
}

/** Where the builder that makes it has Node write compiled code, below its output folder. */
export const madeFolder = "code";

const temporaryPrefix = ".new-";
/** Nobody takes longer to keep it, in ms. */
const maxMakingMs = 10 * 60_000;

/** The name of Node's folder: version, architecture, a mark of its options, and the user's ID. */
const nodeFolder = /^(v[\w.-]+)-\d+$/;

/** The name by which a slot's builder finds compiled code. */
export function codeFolderName({ name }: CompiledCode, { uid }: Pick<Slot, "uid">): string {
  return `${name}-${uid ?? process.getuid?.() ?? 0}`;
}

/** Removes the code of other versions, and what killed processes have left of theirs. */
async function removeOthers(dir: string, kept: readonly string[]): Promise<void> {
  for (const name of await readdir(dir)) {
    const { mtimeMs } = await stat(join(dir, name));
    const isBeingMade = name.startsWith(temporaryPrefix) && Date.now() - mtimeMs < maxMakingMs;
    if (!kept.includes(name) && !isBeingMade) await removeTree(join(dir, name));
  }
}

/** Opens the compiled code in `dir`, which is made when it is kept for the first time. */
export async function openCodeCache(dir: string): Promise<CodeCache> {
  const version = await readCompilerVersion();
  return {
    find() {
      try {
        const [name] = readdirSync(join(dir, version));
        return name === undefined ? null : { folder: join(dir, version, name), name };
      } catch {
        return null;
      }
    },
    async keep(slot) {
      const temporary = join(
        dir,
        `${temporaryPrefix}${process.pid}-${randomBytes(6).toString("hex")}`,
      );
      try {
        const made = join(slot.out, madeFolder);
        const [own = ""] = await readdir(made);
        const name = nodeFolder.exec(own)?.[1];
        if (name === undefined) return;
        const target = join(temporary, name);
        await mkdir(target, { recursive: true });
        for (const path of await listFiles(join(made, own))) {
          const code = await readNoFollow(join(made, own, path));
          await writeFile(join(target, path), code, { mode: 0o644 });
        }
        await chmod(target, 0o755);
        await chmod(temporary, 0o755);
        await removeOthers(dir, [version, basename(temporary)]);
        await rename(temporary, join(dir, version));
      } catch {
        // The disk is full, or another process has kept it: builders do without.
        await removeTree(temporary);
      }
    },
  };
}
