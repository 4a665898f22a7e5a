import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { packTar, unpackTar } from "modern-tar";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import { runCommand } from "../../packages/server/src/processes/cli.ts";
import { instancePaths } from "../../packages/server/src/platform/paths.ts";
import { createKeys } from "../../packages/server/src/platform/secrets.ts";
import { installInstance } from "./publish/publish-instance.ts";

/** Creates an instance in `dir` with only what a backup has to contain. */
export async function installSmall(dir: string): Promise<void> {
  const paths = instancePaths(dir);
  await installInstance(dir);
  await createKeys(paths.keys);
  await writeFile(paths.configFile, '{"baseUrl":"https://example.org"}\n');
  await writeFile(paths.installLock, "{}\n");
}

export interface CommandResult {
  code: number;
  stdout: Buffer;
  stderr: string;
  data: Record<string, unknown>;
  error: { code: string; message: string };
}

/** Runs a command like the command line, with `input` on stdin. */
export async function vitrine(
  args: string[],
  env: Record<string, string> = {},
  input = "",
): Promise<CommandResult> {
  const stdin = Readable.from([input]);
  const streams = { stdin, stdout: new PassThrough(), stderr: new PassThrough() };
  const [out, err] = [buffer(streams.stdout), buffer(streams.stderr)];
  const code = await runCommand(args, env, streams);
  streams.stdout.end();
  streams.stderr.end();
  const [stdout, stderr] = [await out, (await err).toString()];
  const isText = stdout.length > 0 && stdout[0] === 0x7b;
  const response = JSON.parse(isText ? stdout.toString() : stderr) as Pick<
    CommandResult,
    "data" | "error"
  >;
  return { ...response, code, stdout, stderr };
}

/** All files below a folder, by path, with content and permissions. */
export async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .toSorted();
}

/** A backup's entry as an attacker could write it. */
export type TarEntry = Awaited<ReturnType<typeof unpackTar>>[number];

const textOf = ({ data }: TarEntry) => Buffer.from(data ?? []).toString();

export async function readEntries(file: string): Promise<TarEntry[]> {
  return unpackTar(gunzipSync(await readFile(file)));
}

/** A backup's entry with a different text. */
export function withText(entry: TarEntry, text: string): TarEntry {
  const data = Buffer.from(text);
  return { header: { ...entry.header, size: data.length }, data: new Uint8Array(data) };
}

/** A file or another entry added to a backup. */
export function entryOf(
  header: Partial<TarEntry["header"]> & { name: string },
  text = "",
): TarEntry {
  const data = new Uint8Array(Buffer.from(text));
  return { header: { type: "file", size: data.length, mode: 0o755, ...header }, data };
}

/** Writes a backup with a valid header and list for any entries. */
export async function writeForged(
  file: string,
  entries: readonly TarEntry[],
  head: (head: Record<string, unknown>) => Record<string, unknown> = (same) => same,
): Promise<void> {
  const [first, ...rest] = entries;
  const last = rest.pop();
  if (first === undefined || last === undefined) throw new Error("This is no backup.");
  const byPath = new Map<string, { bytes: number; sha256: string }>();
  for (const { header, data = new Uint8Array() } of rest) {
    if (header.type === "directory") continue;
    const copy = header.type === "link" ? byPath.get(header.linkname ?? "") : undefined;
    byPath.set(header.name, copy ?? { bytes: data.length, sha256: sha256Hex(data) });
  }
  const files = Array.from(byPath, ([path, listed]) => ({ path, ...listed }));
  const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
  const given = JSON.parse(textOf(first)) as Record<string, unknown>;
  const header = head({ ...given, files: files.length, bytes });
  const all = [
    withText(first, JSON.stringify(header)),
    ...rest,
    withText(last, JSON.stringify({ files })),
  ];
  await writeFile(file, gzipSync(await packTar(all)));
}
