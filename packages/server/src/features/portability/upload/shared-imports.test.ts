import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { type DatabaseMaker, startDialect } from "../../../../../../test/support/postgres.ts";
import {
  type S3Server,
  startS3Server,
} from "../../../../../../test/support/publish-targets/s3-server.ts";
import { openNode } from "../../../../../../test/support/shared-storage.ts";
import { zip } from "../../../../../../test/support/zip.ts";
import { systemClock } from "../../../kit/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { createLog } from "../../../platform/log.ts";
import type { ImportReport } from "../import/importer.ts";
import {
  type ImportChoices,
  type ImportUploads,
  type ImportUploadsDependencies,
  makeImportUploads,
} from "./import-uploads.ts";
import { makeSharedImports } from "./shared-imports.ts";

let maker: DatabaseMaker;
let server: S3Server;
let db: Db;

beforeAll(async () => {
  maker = await startDialect("postgres");
});
beforeEach(async () => {
  const { database } = await maker.make();
  await migrate({ database, now: 0 });
  ({ db } = database);
  server = await startS3Server();
  return () => server[Symbol.asyncDispose]();
});
afterAll(() => maker?.close());

const choices: ImportChoices = {
  files: null,
  draft: true,
  update: false,
  withoutSamples: false,
  resume: false,
};
const limits = { maxEntries: 100, maxMediaBytes: 5000, maxTotalBytes: 20_000 };
const archive = zip([{ name: "site/clinic.md", data: Buffer.from("# Clinic") }]);

type RunImport = ImportUploadsDependencies["runImport"];

/** Reports the text of the folder's file, so that it has to be there. */
const readFolder: RunImport = async (folder, { files }, { yes }) => {
  const text = await readFile(join(folder, "clinic.md"), "utf8");
  const removedSamples = [text, ...(files ?? [])];
  return { skipped: [], removedSamples, applied: yes } as unknown as ImportReport;
};

interface Node extends ImportUploads {
  dir: string;
}

async function openUploads({ runImport = readFolder } = {}): Promise<Node> {
  const node = await openNode({ db, server });
  const dir = join(node.dir, "imports");
  const store = makeSharedImports({ db, blobs: node.blobs, dir, limits });
  const log = createLog({ level: "silent", name: "imports" });
  const deps = { clock: systemClock, log, dir, store, maxZipBytes: 10_000, limits, runImport };
  return { ...makeImportUploads(deps), dir };
}

const add = (node: Node) => node.add(Readable.from([archive]), archive.length);

const reach = (node: Node, id: string, state: string) =>
  eventually(async () => {
    const view = await node.find(id);
    expect(view.state).toBe(state);
    return view;
  });

test("a folder that one node receives is planned again and imported by others, and stays on none", async () => {
  const [one, two, three] = [await openUploads(), await openUploads(), await openUploads()];
  const { id } = await add(one);
  expect(await two.find(id)).toMatchObject({ state: "planned", report: { applied: false } });
  const planned = await two.plan(id, { ...choices, files: ["clinic.md"] });
  expect(planned.report.removedSamples).toEqual(["# Clinic", "clinic.md"]);
  expect(await one.find(id)).toEqual(planned);
  expect(await three.start(id, choices)).toMatchObject({ state: "running" });
  expect(await reach(one, id, "done")).toMatchObject({
    progress: null,
    report: { applied: true, removedSamples: ["# Clinic"] },
  });
  await expect(two.start(id, choices)).rejects.toMatchObject({ code: "invalid_state" });
  for (const { dir } of [one, two, three]) expect(await readdir(dir)).toEqual([]);
});

test("while one node imports, others show its progress and neither import nor receive", async () => {
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
  const runImport: RunImport = async (folder, wanted, options) => {
    options.onProgress?.("1 of 2");
    options.onProgress?.("2 of 2");
    if (options.yes) await mayEnd;
    return readFolder(folder, wanted, options);
  };
  const [one, two] = [await openUploads({ runImport }), await openUploads()];
  const { id } = await add(one);
  await one.start(id, choices);
  await eventually(async () => expect((await two.find(id)).progress).toBe("2 of 2"));
  await expect(two.start(id, choices)).rejects.toMatchObject({ code: "invalid_state" });
  await expect(two.discard(id)).rejects.toMatchObject({ code: "invalid_state" });
  await expect(add(two)).rejects.toMatchObject({ code: "locked" });
  letEnd();
  await reach(two, id, "done");
  const next = await add(two);
  await expect(one.find(id)).rejects.toMatchObject({ code: "not_found" });
  await one.discard(next.id);
  await expect(two.find(next.id)).rejects.toMatchObject({ code: "not_found" });
});

test("an import whose node is lost has failed, and another node starts it again", async () => {
  const runImport: RunImport = async (folder, wanted, options) =>
    options.yes ? new Promise(() => {}) : readFolder(folder, wanted, options);
  const [one, two] = [await openUploads({ runImport }), await openUploads()];
  const { id } = await add(one);
  await one.start(id, choices);
  // As after a minute without a sign.
  await sql`update stored_import set held_until = '2026-01-01T00:00:00.000Z'`.execute(db);
  expect(await two.find(id)).toMatchObject({ state: "failed", error: { code: "unavailable" } });
  await two.start(id, choices);
  expect(await reach(one, id, "done")).toMatchObject({ error: null, report: { applied: true } });
});

test("a failed import says why on every node, and its folder can be imported again", async () => {
  let isBroken = true;
  const runImport: RunImport = async (folder, wanted, options) => {
    if (options.yes && isBroken) throw new Error("The disk is full.");
    return readFolder(folder, wanted, options);
  };
  const [one, two] = [await openUploads({ runImport }), await openUploads()];
  const { id } = await add(two);
  await one.start(id, choices);
  expect(await reach(two, id, "failed")).toMatchObject({ error: { code: "internal" } });
  isBroken = false;
  await one.start(id, choices);
  await reach(two, id, "done");
});
