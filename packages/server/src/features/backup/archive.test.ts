import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { link, mkdir, readFile, writeFile } from "node:fs/promises";
import { PassThrough, Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { dirname, join } from "node:path";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { expect, test } from "vitest";
import { readEntries } from "../../../../../test/support/backups.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { type Entry, listEntries, writeArchive } from "./archive.ts";
import { type BackupHead, type BackupList, backupFormat } from "./manifest.ts";
import { tarHeader } from "./tar-header.ts";

const head: BackupHead = {
  vitrine: "backup",
  format: backupFormat,
  version: "1",
  createdAt: "2026-01-01T00:00:00Z",
  database: "sqlite",
  migrations: [],
  release: null,
  files: 0,
  bytes: 0,
};

function write(dir: string, entries: readonly Entry[], file: string): Promise<void> {
  const { signal } = new AbortController();
  const sink = createWriteStream(file);
  return writeArchive({ dir, entries, head, sink, end: true, signal, onFile: () => {} });
}

test("files of every size and name come out as they are, with tar as well", async () => {
  await using folder = await tempFolder();
  const [dir, out] = [join(folder.path, "in"), join(folder.path, "out")];
  const archive = join(folder.path, "archive.tar.gz");
  const mib = 2 ** 20;
  const files = new Map([
    ["empty", 0],
    ["one", 1],
    // A header and this fill a block of the archive exactly.
    ["full", mib - 512],
    ["large", 5 * mib + 3],
    [`${"a-folder-with-a-long-name/".repeat(6)}note.md`, 700],
    ["größe ü.txt", 512],
    [`${"x".repeat(99)}y`, 20],
    [`${"x".repeat(99)}yz`, 20],
  ]);
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), randomBytes(bytes));
  }
  await link(join(dir, "large"), join(dir, "the same"));
  await write(dir, await listEntries(dir), archive);

  const entries = await readEntries(archive);
  const { files: listed } = JSON.parse(
    Buffer.from(entries.at(-1)?.data ?? []).toString(),
  ) as BackupList;
  await mkdir(out);
  execFileSync("tar", ["xzf", archive, "-C", out]);
  for (const path of [...files.keys(), "the same"]) {
    const bytes = await readFile(join(dir, path));
    const sha256 = sha256Hex(bytes);
    expect(listed.find((file) => file.path === path)).toEqual({
      path,
      bytes: bytes.length,
      sha256,
    });
    expect([path, sha256Hex(await readFile(join(out, path)))]).toEqual([path, sha256]);
  }
  expect(listed).toHaveLength(files.size + 1);
  expect(entries.find(({ header }) => header.name === "the same")?.header).toMatchObject({
    type: "link",
    linkname: "large",
  });
});

test.each([99, 101])("a file whose size has changed is refused (%i)", async (bytes) => {
  await using folder = await tempFolder();
  await writeFile(join(folder.path, "file"), "x".repeat(bytes));
  const entry = { path: "file", bytes: 100, mode: 0o644, mtime: new Date(0), inode: "1:1" };
  const archive = join(folder.path, "archive.tar.gz");
  await expect(write(folder.path, [entry], archive)).rejects.toMatchObject({ code: "conflict" });
});

test("a file may be larger than a plain header can say", async () => {
  const size = 20 * 2 ** 30;
  const mtime = new Date("2026-01-01T00:00:00Z");
  const header = tarHeader({ name: "large.mp4", type: "file", size, mode: 0o640, mtime });
  const decoded = Readable.toWeb(Readable.from([header])).pipeThrough(
    createTarDecoder() as never,
  ) as unknown as ReadableStream<ParsedTarEntry>;
  const { value } = await decoded.getReader().read();
  expect(value?.header).toMatchObject({ name: "large.mp4", size, mode: 0o640, mtime });
});

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
  const sink = new PassThrough();
  const writing = writeArchive({
    dir: "/nonexistent",
    entries: Array.from({ length: 80_000 }, () => file),
    head: { ...head, files: 80_000, bytes: 80_000 },
    sink,
    end: true,
    signal: new AbortController().signal,
    onFile: () => {},
  });
  const message = expect.stringContaining("80000 files");
  await expect(writing).rejects.toMatchObject({ code: "too_large", message });
  expect(sink.readableLength).toBe(0);
});
