import { join } from "node:path";
import { importFolder } from "../features/portability/import/cleanup.ts";
import type { Importer } from "../features/portability/import/importer.ts";
import { AppError } from "../kit/errors.ts";
import { openLock, type ProcessLock } from "../platform/lock.ts";
import type { Instance } from "./instance.ts";

type Shared = Pick<Instance, "config" | "shared">;

/** Between nodes; null without others, where the library's own lock is enough. */
function openImportLock({ config, shared }: Shared): ProcessLock | null {
  if (shared === null) return null;
  return shared.lock("import", openLock(join(importFolder(config.paths.data), "nodes.lock")));
}

/**
 * Undoes what a killed import has left, unless a node imports: it may use images that a killed import of
 * this node has stored.
 */
export async function cleanUpAlone(instance: Shared, cleanUp: () => Promise<void>): Promise<void> {
  const lock = openImportLock(instance);
  try {
    await (lock ? lock.run(cleanUp, { waitMs: 0 }) : cleanUp());
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "locked") throw error;
  } finally {
    lock?.close();
  }
}

/** Has the importer throw `locked` while another node imports, also after its web has been killed. */
export function importAlone(instance: Shared, importer: Importer): Importer {
  const lock = openImportLock(instance);
  if (lock === null) return importer;
  return {
    import(path, options, yes) {
      const work = () => importer.import(path, options, yes);
      return yes ? lock.run(work, { waitMs: 0 }) : work();
    },
    async close() {
      lock.close();
      await importer.close();
    },
  };
}
