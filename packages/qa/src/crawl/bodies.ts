import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Response bodies of the site by address: the first in memory, the rest in an unnamed file. */
export interface Bodies {
  put(url: string, body: Buffer): void;
  get(url: string): Buffer | undefined;
  close(): void;
}

interface Spot {
  at: number;
  length: number;
}

/** A file that no other process sees and that disappears with this process. */
function openNameless(): number {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-qa-"));
  try {
    return openSync(join(folder, "bodies"), "wx+", 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `memoryBytes`: the maximum to keep in memory. */
export function makeBodies(memoryBytes: number): Bodies {
  const bodies = new Map<string, Buffer>();
  const spilt = new Map<string, Spot>();
  let inMemory = 0;
  let file: number | null = null;
  let end = 0;
  return {
    put(url, body) {
      if (inMemory + body.length <= memoryBytes) {
        // A slice would keep the whole buffer in memory.
        const isPiece = body.buffer.byteLength > body.length * 1.5;
        bodies.set(url, isPiece ? Buffer.from(body) : body);
        inMemory += body.length;
        return;
      }
      file ??= openNameless();
      for (let done = 0; done < body.length;) {
        done += writeSync(file, body, done, body.length - done, end + done);
      }
      spilt.set(url, { at: end, length: body.length });
      end += body.length;
    },
    get(url) {
      const known = bodies.get(url);
      const spot = spilt.get(url);
      if (known || !spot || file === null) return known;
      const body = Buffer.alloc(spot.length);
      readSync(file, body, 0, spot.length, spot.at);
      return body;
    },
    close() {
      if (file !== null) closeSync(file);
      file = null;
      bodies.clear();
      spilt.clear();
    },
  };
}
