import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { registerImport } from "../features/portability/api.ts";
import type { ImportReport } from "../features/portability/import/importer.ts";
import { makeLocalImports } from "../features/portability/upload/import-store.ts";
import { makeSharedImports } from "../features/portability/upload/shared-imports.ts";
import {
  type ImportUploads,
  type ImportUploadsDependencies,
  makeImportUploads,
} from "../features/portability/upload/import-uploads.ts";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import type { Environment } from "../platform/config.ts";
import type { AppServer } from "../platform/http/server.ts";
import { type CommandProcesses, makeCommandProcesses } from "./command-process.ts";
import type { Instance } from "./instance.ts";

const mebibyte = 1024 ** 2;
const maxZipBytes = 1024 * mebibyte;
const maxTotalBytes = 2048 * mebibyte;
/** The same limit as for a folder imported on the command line. */
const maxEntries = 20_000;
const maxAnswerBytes = 64 * mebibyte;
/** Time limits for the plan, and for the import with its images and the site’s build, in ms. */
const timeouts = { plan: 5 * 60_000, import: 2 * 60 * 60_000 };

/** Runs `vitrine import` as a separate process, because its input is untrusted and may take a while. */
export function makeImportProcess(commands: Pick<CommandProcesses, "run">, dir: string) {
  const runImport: ImportUploadsDependencies["runImport"] = async (folder, choices, options) => {
    const args = ["import", folder, "--progress"];
    if (options.yes) args.push("--yes");
    if (choices.draft) args.push("--draft");
    if (!choices.resume) args.push("--no-resume");
    if (choices.update) args.push("--update");
    if (choices.withoutSamples) args.push("--without-samples");
    // Not beside the uploaded files, of which it would become one.
    const list = join(dir, `${randomUUID()}.json`);
    try {
      if (choices.files !== null) {
        await writeFile(list, JSON.stringify(choices.files), { mode: 0o600 });
        args.push("--only-from", list);
      }
      const report = await commands.run(args, {
        timeoutMs: options.yes ? timeouts.import : timeouts.plan,
        maxAnswerBytes,
        heapMiB: 1024,
        onProgress: options.onProgress,
      });
      return report as ImportReport;
    } finally {
      await rm(list, { force: true });
    }
  };
  return runImport;
}

/** The folder for uploaded folders while they are needed. */
export const importUploadsFolder = (data: string) => join(data, "import-uploads");

/** Registers the import of uploaded folders. */
export function openImportUploads(
  app: AppServer,
  instance: Instance,
  { guard, env }: { guard: AdminGuard; env: Environment },
): Pick<ImportUploads, "close"> {
  const { config, clock, log, shared } = instance;
  const commands = makeCommandProcesses(env);
  const maxMediaBytes =
    Math.max(config.limits.media.imageMiB, config.limits.media.videoMiB) * mebibyte;
  const dir = importUploadsFolder(config.paths.data);
  const limits = { maxEntries, maxMediaBytes, maxTotalBytes };
  const { db } = instance.database;
  const uploads = makeImportUploads({
    clock,
    log,
    dir,
    store: shared
      ? makeSharedImports({ db, blobs: shared.blobs, dir, limits })
      : makeLocalImports(dir),
    maxZipBytes,
    limits,
    runImport: makeImportProcess(commands, dir),
  });
  registerImport(app, { guard, uploads });
  return {
    async close() {
      // A killed import leaves whole projects or none.
      commands.kill();
      await uploads.close();
    },
  };
}
