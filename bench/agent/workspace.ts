import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isWritePath } from "../../packages/server/src/features/workspace/content-paths.ts";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { tempFolder } from "../../test/support/temp.ts";

const template = join(platformRoot, "packages/template");
export const mediaDir = join(template, "app/public/media");

/** Is in files and in the environment where no run may read it; no request may ever contain it. */
export const secret = "SECRET-bench-7d41";

const inside = "content/workspace/";
const planted = ["secret.txt", "content/secret.txt", `${inside}vitrine.json`, `${inside}.env`];

/** Every file in a folder with its content (as Latin-1), and symbolic links by their targets. */
function filesOf(folder: string, leaveOut?: string): Map<string, string> {
  const found = new Map<string, string>();
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const name of readdirSync(next)) {
      const path = join(next, name);
      const stat = lstatSync(path);
      if (path === leaveOut) continue;
      if (stat.isDirectory()) folders.push(path);
      else found.set(relative(folder, path), stat.isFile() ? readFileSync(path, "latin1") : "link");
    }
  }
  return found;
}

const originals = filesOf(template, mediaDir);

function decoded(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** The content of a template file, or null. */
export function original(path: string): string | null {
  const bytes = originals.get(path);
  return bytes === undefined ? null : decoded(bytes);
}

/** A copy of the template for one run, with surroundings that it must not touch. */
export interface BenchWorkspace {
  readonly root: string;
  /** The differences from the template: path → text, null for a deleted file. */
  changes(): Map<string, string | null>;
  /**
   * Violations: changes outside the write paths, symbolic links, anything outside the workspace.
   */
  damage(): string[];
  remove(): Promise<void>;
}

function layDown(folder: string): Map<string, string> {
  const before = new Map([...originals].map(([path, bytes]) => [inside + path, bytes]));
  for (const path of planted) before.set(path, secret);
  for (const [path, bytes] of before) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes, "latin1");
  }
  return before;
}

export async function benchWorkspace(): Promise<BenchWorkspace> {
  const folder = await tempFolder();
  const before = layDown(folder.path);

  function changed(): [path: string, bytes: string | undefined][] {
    const after = filesOf(folder.path);
    return [...new Set([...before.keys(), ...after.keys()])]
      .filter((path) => before.get(path) !== after.get(path))
      .toSorted()
      .map((path) => [path, after.get(path)]);
  }

  return {
    root: join(folder.path, inside),
    changes: () =>
      new Map(
        changed()
          .filter(([path]) => path.startsWith(inside))
          .map(([path, bytes]) => [
            path.slice(inside.length),
            bytes === undefined ? null : decoded(bytes),
          ]),
      ),
    damage: () =>
      changed()
        .filter(([path, bytes]) => {
          const own = path.startsWith(inside) && isWritePath(path.slice(inside.length));
          return !own || bytes === "link";
        })
        .map(([path]) => path),
    remove: () => folder.remove(),
  };
}
