import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readManifest } from "../../../packages/server/src/features/release/artifact/artifact.ts";
import type { Product } from "../product.ts";

/** The pages of all releases that any node has had. */
export interface ReleasedPages {
  /** Adds the releases that a node has now. */
  collect(node: Product): Promise<void>;
  /** Whether a release has a page with this SHA-256 at this path. */
  has(path: string, hash: string): boolean;
}

export function makeReleasedPages(): ReleasedPages {
  const known = new Set<string>();
  return {
    async collect({ paths }) {
      const names = await readdir(paths.releases).catch(() => []);
      for (const name of names.filter((entry) => /^\d+\.json$/.test(entry))) {
        const manifest = await readManifest(join(paths.releases, name)).catch(() => null);
        if (manifest === null || known.has(manifest.sha)) continue;
        known.add(manifest.sha);
        for (const [path, { hash }] of Object.entries(manifest.files)) known.add(`${path} ${hash}`);
      }
    },
    has: (path, hash) => known.has(`${path} ${hash}`),
  };
}
