import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// Most files of a build are those of the live release. A build doesn't write them once more: it names
// them, and the program links them from there when the sandbox is gone. A page may have shown what is
// private now, so page code must not have it published again: a build gets the hash of each file's
// hash, and has to give the hash itself, which only what has rendered the same bytes knows.

/** Where a build finds what it is offered, below its site folder: by path what tells the file's hash. */
export const offeredFilesFile = "published/files.json";
/** Where a build names what it keeps, the hashes by path: dotfiles of an output are no part of the site. */
export const keptFilesFile = ".kept.json";

/** Share images are named by what they are made of, and builds can read those that are published. */
const shareImage = /^og\/[0-9a-f]{32}\.png$/;

/** What a build gets to know about a file with this SHA-256. */
export function offerOf(path: string, sha256: string): string {
  return shareImage.test(path) ? "" : hash("sha256", sha256, "hex");
}

/** Whether a build that gives this as a file's SHA-256 may keep the file that has the other one. */
export function mayKeep(path: string, given: unknown, sha256: string): boolean {
  return given === sha256 || (given === "" && shareImage.test(path));
}

/** The live files that a build keeps instead of writing them. */
export interface KeptFiles {
  /** Keeps the live share image at a path; false if it isn't offered. */
  keepImage(path: string): boolean;
  /** Keeps the live file at a path if its SHA-256 is this one; false if it isn't, or isn't offered. */
  keepSame(path: string, hash: string): boolean;
  /** Forgets what was kept, for a build that starts over. */
  reset(): void;
  /** Names what is kept in the finished output. */
  write(outDir: string): void;
}

/** The live files that are offered in a site folder. */
export function openKeptFiles(siteDir: string): KeptFiles {
  let offered: Map<string, string> | undefined;
  const kept = new Map<string, string>();
  const offerFor = (path: string) => {
    offered ??= readOffered(join(siteDir, offeredFilesFile));
    return offered.get(path);
  };
  return {
    keepImage(path) {
      const isKept = offerFor(path) === "";
      if (isKept) kept.set(path, "");
      return isKept;
    },
    keepSame(path, sha256) {
      const offer = offerFor(path);
      const isKept = offer !== undefined && offer !== "" && offer === offerOf(path, sha256);
      if (isKept) kept.set(path, sha256);
      return isKept;
    },
    reset: () => kept.clear(),
    write(outDir) {
      writeFileSync(join(outDir, keptFilesFile), JSON.stringify(Object.fromEntries(kept)));
    },
  };
}

/** Nothing is offered before the first release. */
function readOffered(file: string): Map<string, string> {
  try {
    const value = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    return new Map(Object.entries(value));
  } catch {
    return new Map();
  }
}
