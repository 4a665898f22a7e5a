import { execFileSync } from "node:child_process";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { writeArchive } from "./archive.ts";
import { type BackupHead, backupFormat } from "./manifest.ts";

test("a folder may hold more than a function takes arguments", async () => {
  await using folder = await tempFolder();
  const count = 20_000;
  const make = `mkdir in && cd in && seq ${count} | xargs touch`;
  execFileSync("sh", ["-c", make], { cwd: folder.path });
  const module = pathToFileURL(join(import.meta.dirname, "archive.ts")).href;
  const script = `
    const { listEntries } = await import(${JSON.stringify(module)});
    console.log((await listEntries(${JSON.stringify(folder.path)})).length);`;
  // With a small stack those are few.
  const args = ["--stack-size=150", "--input-type=module", "--eval", script];
  const reply = execFileSync(process.execPath, args, { encoding: "utf8" });
  expect(Number(reply)).toBe(count + 1);
});

test("more files than the list takes are refused before anything is written", async () => {
  const path = `content/${"a long name ".repeat(300)}`;
  const file = { path, bytes: 1, mode: 0o644, mtime: new Date(0), inode: "1:1" };
  const head: BackupHead = {
    vitrine: "backup",
    format: backupFormat,
    version: "1",
    createdAt: "2026-01-01T00:00:00Z",
    database: "sqlite",
    migrations: [],
    release: null,
    files: 80_000,
    bytes: 80_000,
  };
  const sink = new PassThrough();
  const writing = writeArchive({
    dir: "/nonexistent",
    entries: Array.from({ length: 80_000 }, () => file),
    head,
    sink,
    end: true,
    signal: new AbortController().signal,
    onFile: () => {},
  });
  const message = expect.stringContaining("80000 files");
  await expect(writing).rejects.toMatchObject({ code: "too_large", message });
  expect(sink.readableLength).toBe(0);
});
