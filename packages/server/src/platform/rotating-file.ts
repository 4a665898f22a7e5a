import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { DestinationStream } from "pino";
import { acquireLock } from "./lock.ts";

/** A log file and those before it: `FILE`, `FILE.1` …, the newest first. */
export interface RotatingFileOptions {
  path: string;
  /** A file that has grown to this size is put aside. */
  maxBytes: number;
  /** The number of files, with the one being written; at least 2. */
  files: number;
}

export interface RotatingFile {
  /** The descriptor for the next lines. Until the next call, it stays open. */
  descriptor(): number;
}

const flags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT";

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function moveIfPresent(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    // A rotation that was killed leaves a gap.
    if (!isMissing(error)) throw error;
  }
}

/** Puts the files aside, unless another process is doing it or has done it. */
function rotate({ path, maxBytes, files }: RotatingFileOptions): void {
  const lock = acquireLock(`${path}.lock`);
  if (lock === null) return;
  try {
    if (sizeOf(path) < maxBytes) return;
    for (let number = files - 2; number >= 1; number -= 1) {
      moveIfPresent(`${path}.${number}`, `${path}.${number + 1}`);
    }
    moveIfPresent(path, `${path}.1`);
  } finally {
    lock.release();
  }
}

/**
 * Opens a file that several processes append to, and that any of them puts aside once it is large.
 * Files are only renamed, never copied or emptied: what another process still appends to one that
 * was put aside isn't lost, and neither is anything when a process is killed.
 */
export function openRotatingFile(options: RotatingFileOptions): RotatingFile {
  const { path, maxBytes } = options;
  let open: { descriptor: number; inode: number } | null = null;

  function reopen(): number {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const descriptor = openSync(path, flags, 0o600);
    const before = open;
    open = { descriptor, inode: fstatSync(descriptor).ino };
    if (before !== null) closeSync(before.descriptor);
    return descriptor;
  }

  return {
    descriptor() {
      const found = statSync(path, { throwIfNoEntry: false });
      const isFull = found !== undefined && found.size >= maxBytes;
      if (isFull) rotate(options);
      else if (open !== null && found?.ino === open.inode) return open.descriptor;
      return reopen();
    },
  };
}

/** Writes lines to a rotating file at once; to stderr if that can't be done, as on a full disk. */
export function rotatingDestination(options: RotatingFileOptions): DestinationStream {
  const file = openRotatingFile(options);
  return {
    write(line) {
      try {
        writeSync(file.descriptor(), line);
      } catch {
        writeSync(2, line);
      }
    },
  };
}
