import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { tempFolder } from "../../../../test/support/temp.ts";
import { zip } from "../../../../test/support/zip.ts";
import { makeLocalImports } from "../features/portability/upload/import-store.ts";
import {
  type ImportChoices,
  makeImportUploads,
} from "../features/portability/upload/import-uploads.ts";
import { systemClock } from "../kit/clock.ts";
import { parseJson } from "../kit/json.ts";
import { createLog } from "../platform/log.ts";
import { makeImportProcess } from "./import-uploads.ts";

test("a folder with chosen files is planned again and imported as it was uploaded", async () => {
  await using folder = await tempFolder();
  const dir = folder.path;
  const calls: unknown[] = [];
  const run = async (args: readonly string[]) => {
    const [, uploaded = ""] = args;
    const list = args[args.indexOf("--only-from") + 1] ?? "";
    const only = args.includes("--only-from") ? parseJson(await readFile(list, "utf8")) : null;
    calls.push({ files: await readdir(uploaded), only });
    return { skipped: [] };
  };
  const uploads = makeImportUploads({
    clock: systemClock,
    log: createLog({ level: "silent", name: "imports" }),
    dir,
    store: makeLocalImports(dir),
    maxZipBytes: 10_000,
    limits: { maxEntries: 100, maxMediaBytes: 5000, maxTotalBytes: 20_000 },
    runImport: makeImportProcess({ run }, dir),
  });
  const archive = zip([
    { name: "site/clinic.md", data: Buffer.from("# Clinic") },
    { name: "site/garden.md", data: Buffer.from("# Garden") },
  ]);
  const { id } = await uploads.add(Readable.from([archive]), archive.length);
  const others = { draft: true, update: false, withoutSamples: false, resume: false };
  const choices: ImportChoices = { ...others, files: ["clinic.md"] };
  await uploads.plan(id, choices);
  expect(await readdir(dir)).toEqual([id]);
  expect(await readdir(join(dir, id))).toEqual(["files"]);
  await uploads.start(id, choices);
  await eventually(async () => expect((await uploads.find(id)).state).toBe("done"));
  const files = ["clinic.md", "garden.md"];
  expect(calls).toEqual([
    { files, only: null },
    { files, only: ["clinic.md"] },
    { files, only: ["clinic.md"] },
  ]);
  expect(await readdir(dir)).toEqual([]);
});
