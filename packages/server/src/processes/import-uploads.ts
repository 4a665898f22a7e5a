import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { registerImport } from "../features/portability/api.ts";
import type { ImportReport } from "../features/portability/import/importer.ts";
import {
  type ImportUploads,
  type ImportUploadsDependencies,
  makeImportUploads,
} from "../features/portability/upload/import-uploads.ts";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import type { Success } from "../kit/envelope.ts";
import type { Failure } from "../kit/failure.ts";
import { AppError, type ErrorCode, errorStatus } from "../kit/errors.ts";
import { parseJson } from "../kit/json.ts";
import type { Environment } from "../platform/config.ts";
import type { AppServer } from "../platform/http/server.ts";
import { nodeBinary } from "../platform/paths.ts";
import { killGroup } from "../platform/process.ts";
import type { Instance } from "./instance.ts";
import { programOf } from "./process-specs.ts";

const mebibyte = 1024 ** 2;
const maxZipBytes = 1024 * mebibyte;
const maxTotalBytes = 2048 * mebibyte;
/** The same limit as for a folder imported on the command line. */
const maxEntries = 20_000;
const maxAnswerBytes = 64 * mebibyte;
/** Time limits for the plan, and for the import with its images and the site’s build, in ms. */
const timeouts = { plan: 5 * 60_000, import: 2 * 60 * 60_000 };

/** Parses the output of `vitrine import`; throws if it is an error. */
function readAnswer(text: string): ImportReport {
  let answer: Success<ImportReport> | Failure;
  try {
    answer = parseJson(text) as Success<ImportReport> | Failure;
  } catch (cause) {
    throw new AppError("internal", "The import ended without a result. Try again.", { cause });
  }
  if (answer.ok) return answer.data;
  const { code, message } = answer.error;
  throw new AppError((code in errorStatus ? code : "internal") as ErrorCode, message);
}

/**
 * Runs `vitrine import` as a separate process, because its input is untrusted and may take a while.
 * `children` are the running ones.
 */
function makeImportProcess(env: Environment, children: Set<() => void>) {
  const command = programOf("main");
  const runImport: ImportUploadsDependencies["runImport"] = async (folder, choices, options) => {
    const args = ["import", folder, "--progress"];
    if (options.yes) args.push("--yes");
    if (choices.draft) args.push("--draft");
    if (!choices.resume) args.push("--no-resume");
    if (choices.update) args.push("--update");
    if (choices.withoutSamples) args.push("--without-samples");
    if (choices.files !== null) {
      const list = join(folder, "..", "choice.json");
      await writeFile(list, JSON.stringify(choices.files), { mode: 0o600 });
      args.push("--only-from", list);
    }
    const child = spawn(nodeBinary, ["--max-old-space-size=1024", command, ...args], {
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const kill = () => killGroup(child);
    children.add(kill);
    const timer = setTimeout(kill, options.yes ? timeouts.import : timeouts.plan);
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) kill();
      else chunks.push(chunk);
    });
    createInterface({ input: child.stderr }).on("line", (line) => {
      const progress = /^progress: (.{1,200})$/.exec(line)?.[1];
      if (progress !== undefined) options.onProgress?.(progress);
    });
    try {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      child.on("close", () => resolve());
      child.on("error", reject);
      await promise;
    } finally {
      clearTimeout(timer);
      children.delete(kill);
    }
    return readAnswer(Buffer.concat(chunks).toString("utf8"));
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
  const { config, clock } = instance;
  const children = new Set<() => void>();
  const maxMediaBytes =
    Math.max(config.limits.media.imageMiB, config.limits.media.videoMiB) * mebibyte;
  const uploads = makeImportUploads({
    clock,
    dir: importUploadsFolder(config.paths.data),
    maxZipBytes,
    limits: { maxEntries, maxMediaBytes, maxTotalBytes },
    runImport: makeImportProcess(env, children),
  });
  registerImport(app, { guard, uploads });
  return {
    async close() {
      // A killed import leaves whole projects or none.
      for (const kill of children) kill();
      await uploads.close();
    },
  };
}
