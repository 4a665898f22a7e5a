import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { removeTree } from "../../../platform/files.ts";
import type { CopyFile } from "../copy/site-copy.ts";
import type { RsyncSettings } from "../schema.ts";
import { batchesOf, changesSince } from "./changes.ts";
import { assertInstalled, failureOf, runBound } from "./programs.ts";
import { withSsh } from "./ssh.ts";
import type { Delivery, Destination, Kind, KindDependencies } from "./target-kind.ts";

/** So many files are sent, or removed, by one rsync. */
const batchFiles = 500;

/** Compares contents, because a build writes all files again; everyone can read what is sent. */
const comparing = ["--checksum", "--perms", "--chmod=D755,F644", "--omit-dir-times"];

/** The exit code for files that are missing here, which removed ones are (rsync(1)). */
const missingHere = 24;

interface Transfer {
  /** In which folder of this machine the paths are. */
  from: string;
  /** The folder on the server, below the target's own. */
  to?: string;
  args?: readonly string[];
  paths: readonly string[];
  /** Whether the paths are missing here, so that they are removed there. */
  isRemoval?: boolean;
}

interface Server {
  /** Sends paths; returns how many files were new or different, and their bytes. */
  send(transfer: Transfer): Promise<{ files: number; bytes: number }>;
}

function numberIn(stats: string, label: string): number {
  const text = new RegExp(`^${label}: ([\\d,.]+)`, "m").exec(stats)?.[1] ?? "0";
  return Number(text.replaceAll(/[,.]/g, ""));
}

async function withServer<T>(
  { isForbidden }: KindDependencies,
  { settings, secret, folder, signal }: Destination<RsyncSettings>,
  task: (server: Server) => Promise<T>,
): Promise<T> {
  await assertInstalled(["rsync", "ssh"]);
  const { host, port, hostKey, user } = settings;
  const base = settings.folder.replace(/\/$/, "");
  return withSsh({ host, port, hostKey, privateKey: secret }, { folder, isForbidden }, (ssh) =>
    task({
      async send({ from, to = "", args = [], paths, isRemoval = false }) {
        const own = ["--rsh", ssh, "--protect-args", "--no-motd", "--timeout=120", "--stats"];
        // A path of its own kind for rsync: nothing in it is a pattern, an option, or a comment.
        const input = paths.map((path) => `./${path}\0`).join("");
        const list = ["--from0", "--files-from=-"];
        const destination = `${user}@${host}:${base}/${to}`;
        const all = [...own, ...comparing, ...args, ...list, "./", destination];
        const result = await runBound("rsync", all, { cwd: from, input, signal });
        const isFine = result.exitCode === 0 || (isRemoval && result.exitCode === missingHere);
        if (!isFine) throw failureOf("Rsync couldn’t send the site", result);
        return {
          files: numberIn(result.stdout, "Number of regular files transferred"),
          bytes: numberIn(result.stdout, "Total transferred file size"),
        };
      },
    }),
  );
}

function bytesOf(files: readonly CopyFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

const inOrder = (files: readonly CopyFile[]): CopyFile[][] => [
  ...batchesOf(
    files.filter(({ isPage }) => !isPage),
    batchFiles,
  ),
  ...batchesOf(
    files.filter(({ isPage }) => isPage),
    batchFiles,
  ),
];

/** Replaces the files in the folder itself: assets, pages, then what is gone. */
async function deliverInPlace(server: Server, delivery: Delivery<RsyncSettings>): Promise<void> {
  const { copy, marks, progress, folder } = delivery;
  const markOf = ({ hash }: CopyFile) => hash;
  const { changed, gone } = changesSince(await marks.read(), copy.files, markOf);
  await progress.expect(changed.length + gone.length);
  for (const batch of inOrder(changed)) {
    await marks.begin(batch.map(({ path }) => path));
    await server.send({ from: copy.folder, paths: batch.map(({ path }) => path) });
    await marks.acknowledge(batch.map((file) => ({ path: file.path, mark: markOf(file) })));
    await progress.add(batch.length, bytesOf(batch));
  }
  if (gone.length === 0) return;
  await marks.begin(gone);
  await removeFrom(server, folder, gone);
  await marks.forget(gone);
  await progress.add(gone.length, 0);
}

/** Removes exactly these paths: they are listed, but don't exist here. */
async function removeFrom(server: Server, folder: string, paths: readonly string[]): Promise<void> {
  const empty = join(folder, "empty");
  await removeTree(empty);
  await mkdir(empty);
  const args = ["--delete-missing-args", "--force"];
  for (let start = 0; start < paths.length; start += batchFiles) {
    const batch = paths.slice(start, start + batchFiles);
    await server.send({ from: empty, args, paths: batch, isRemoval: true });
  }
}

/** The folders of releases that are or may be on the server, oldest first. */
const releasesState = z.array(z.string().regex(/^\d+-\d+$/)).catch([]);

/** Sends a release into a folder of its own, then lets `current` lead to it. */
async function deliverAtomically(server: Server, delivery: Delivery<RsyncSettings>): Promise<void> {
  const { copy, settings, state, progress, folder, revision } = delivery;
  const name = `${copy.release}-${revision}`;
  const text = (await state.read()) ?? "[]";
  const before = releasesState.parse(JSON.parse(text)).filter((other) => other !== name);
  const previous = before.at(-1);
  await state.write(JSON.stringify([...before, name]));
  await progress.expect(copy.files.length);
  const local = join(folder, "folders");
  await removeTree(local);
  await mkdir(join(local, "releases", name), { recursive: true });
  await server.send({ from: local, args: ["--dirs"], paths: ["releases", `releases/${name}`] });
  const args = previous === undefined ? [] : [`--link-dest=../${previous}`];
  let sentFiles = 0;
  for (const batch of inOrder(copy.files)) {
    const paths = batch.map(({ path }) => path);
    const sent = await server.send({ from: copy.folder, to: `releases/${name}/`, args, paths });
    sentFiles += sent.files;
    await progress.add(batch.length, sent.bytes);
  }
  await symlink(`releases/${name}`, join(local, "current"));
  await server.send({ from: local, args: ["--links"], paths: ["current"] });
  const kept = [...before, name].slice(-settings.keptReleases);
  const old = before.filter((other) => !kept.includes(other));
  if (old.length > 0) {
    await removeFrom(
      server,
      folder,
      old.map((other) => `releases/${other}`),
    );
  }
  await state.write(JSON.stringify(kept));
  // The others are links to files of the release before.
  await progress.expect(sentFiles);
  await rm(local, { recursive: true, force: true });
}

/** A folder on a server, by rsync over ssh. Only files that Vitrine has sent are removed. */
export const rsync: Kind<RsyncSettings> = {
  async check(deps, destination) {
    const { folder, settings } = destination;
    const empty = join(folder, "empty");
    await removeTree(empty);
    await mkdir(empty, { recursive: true });
    await withServer(deps, destination, (server) =>
      server.send({ from: empty, args: ["--dry-run", "--dirs"], paths: [""] }),
    );
    return `Vitrine reaches ${settings.host} as ${settings.user}, and rsync answers there.`;
  },
  deliver: (deps, delivery) =>
    withServer(deps, delivery, (server) =>
      delivery.settings.isAtomic
        ? deliverAtomically(server, delivery)
        : deliverInPlace(server, delivery),
    ),
};
