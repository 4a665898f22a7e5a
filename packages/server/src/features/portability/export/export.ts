import { constants } from "node:fs";
import {
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rmdir,
  writeFile,
} from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { parseJson } from "../../../kit/json.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { exists, fsyncFolder, removeTree } from "../../../platform/files.ts";
import { listEntries } from "../../changelog/store.ts";
import { findMediaBySrc, type Media } from "../../media/store.ts";
import { mediaAddresses } from "../../projects/gallery.ts";
import type { ProjectWithBrief } from "../../projects/project.ts";
import { listAll, listRedirects } from "../../projects/store.ts";
import { withoutProjects } from "../../release/moved-share-images.ts";
import { contentFolders } from "../../workspace/content-paths.ts";
import { readSiteIdentity } from "../import/site-identity.ts";
import { exportResume, resumeImage, type SiteIdentityFiles } from "../resume/content-files.ts";
import { fileNames } from "./file-names.ts";
import { readmeText } from "./readme.ts";
import { type ExportedProject, writeStudy } from "./study-file.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

export interface ExportDependencies {
  db: Db;
  /** The content repository's folder. */
  content: string;
  /** The instance's folder, which an export must not be written into. */
  instance: string;
  /** A folder of the instance for the locks of running exports. */
  locks: string;
}

/** The counts of an export's contents. */
export interface ExportResult {
  dir: string;
  projects: number;
  media: number;
  changes: number;
  files: number;
}

/** The export's destination, a new or empty folder. Throws `already_exists`, `bad_request`. */
async function assertFree(dir: string, instance: string): Promise<void> {
  const parent = await realpath(dirname(dir)).catch((cause: unknown) => {
    throw new AppError("not_found", `The folder ${dirname(dir)} doesn't exist.`, { cause });
  });
  const inside = `${await realpath(instance)}${sep}`;
  if (`${parent}${sep}`.startsWith(inside)) {
    throw new AppError(
      "bad_request",
      "An export can't be written inside the instance's own folder.",
    );
  }
  if (!(await exists(dir))) return;
  const isFolder = (await lstat(dir)).isDirectory();
  if (isFolder && (await readdir(dir)).length === 0) return;
  throw new AppError("already_exists", `${dir} isn't an empty folder. Choose a new one.`);
}

/** Copies a regular file; links aren't followed. */
async function copyPlain(from: string, to: string): Promise<void> {
  if (!(await lstat(from)).isFile())
    throw new AppError("validation_failed", `${from} isn't a file.`);
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

/** Copies a folder without links and git's files; returns the number of files. */
async function copyFolder(from: string, to: string): Promise<number> {
  await mkdir(to);
  let count = 0;
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.name === ".git") continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) count += await copyFolder(source, target);
    else if (entry.isFile()) {
      await copyPlain(source, target);
      count += 1;
    }
  }
  return count;
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Copies a stored file. Throws `unavailable` if it is missing. */
async function exportFile(src: string, of: string, to: { publicDir: string; file: string }) {
  await copyPlain(join(to.publicDir, src), to.file).catch((cause: unknown) => {
    throw new AppError("unavailable", `The file ${src} of ${of} is missing.`, { cause });
  });
}

/** Writes a project's folder; returns the number of files next to its text. */
async function exportProject(
  project: ProjectWithBrief & Pick<ExportedProject, "aliases">,
  media: ReadonlyMap<string, Media>,
  to: { dir: string; publicDir: string },
): Promise<number> {
  const dir = join(to.dir, project.slug);
  await mkdir(dir);
  const sources = mediaAddresses(project).filter((src) => media.has(src));
  const names = fileNames(sources);
  const files = new Map(
    Array.from(names, ([src, name]) => [src, { name, alt: media.get(src)?.alt ?? "" }]),
  );
  for (const [src, name] of names) {
    await exportFile(src, project.name, { ...to, file: join(dir, name) });
  }
  await writeFile(join(dir, "index.md"), writeStudy(project, files));
  return names.size;
}

/** Writes the résumé, and next to it the portrait if that is a stored image. */
async function exportSiteIdentity(
  own: SiteIdentityFiles,
  media: ReadonlyMap<string, Media>,
  to: { dir: string; publicDir: string },
): Promise<void> {
  const src = resumeImage(own);
  const name = media.has(src) ? fileNames([src]).get(src) : undefined;
  if (name !== undefined) {
    await exportFile(src, "the résumé", { ...to, file: join(to.dir, name) });
  }
  await writeFile(join(to.dir, "resume.json"), json(exportResume(own, name)));
}

async function fill(dir: string, deps: ExportDependencies): Promise<Omit<ExportResult, "dir">> {
  const { db, content } = deps;
  const own = await readSiteIdentity(content);
  // A single consistent read; later saves are in the next export.
  const { projects, media, changes } = await db.transaction().execute(async (transaction) => {
    const redirects = Map.groupBy(await listRedirects(transaction, "all"), ({ to }) => to);
    const all = (await listAll(transaction)).map((project) =>
      Object.assign(project, {
        aliases: (redirects.get(project.slug) ?? []).map(({ from }) => from),
      }),
    );
    const { items } = await listEntries(transaction, {
      limit: 2_147_483_647,
      offset: 0,
      isShown: true,
    });
    const sources = [...all.flatMap(mediaAddresses), resumeImage(own)];
    const stored = await findMediaBySrc(transaction, sources);
    return { projects: all, media: stored, changes: items };
  });
  const publicDir = join(content, "app/public");
  await exportSiteIdentity(own, media, { dir, publicDir });
  const entries = changes.map(({ at, kind, title, detail, actor }) => [
    at,
    kind,
    title,
    detail,
    actor,
  ]);
  await writeFile(join(dir, "changelog.json"), json(entries));
  await mkdir(join(dir, "projects"));
  const to = { dir: join(dir, "projects"), publicDir };
  let images = 0;
  for (const project of projects) images += await exportProject(project, media, to);
  await mkdir(join(dir, "site"));
  let files = 0;
  for (const folder of contentFolders) {
    if (!(await exists(join(content, folder)))) continue;
    files += await copyFolder(join(content, folder), join(dir, "site", folder));
  }
  await forgetShareOwners(join(dir, "site", "app/src/content/share.json"));
  const counts = { projects: projects.length, media: images, changes: changes.length, files };
  await writeFile(join(dir, "README.md"), readmeText(counts));
  return counts;
}

function readJsonOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** Removes from the share images which project of this instance each is for. */
async function forgetShareOwners(file: string): Promise<void> {
  if (!(await exists(file))) return;
  const text = await readFile(file, "utf8");
  // A damaged file is exported as it is.
  const chosen = readJsonOrNull(text);
  if (typeof chosen !== "object" || chosen === null || Array.isArray(chosen)) return;
  await writeFile(file, json(withoutProjects(chosen as Record<string, unknown>)));
}

/**
 * Writes all of the owner's content into a new or empty folder: projects of every status with their
 * images, the résumé, the changelog, the site's own files. It is written completely or not at all:
 * the export is prepared next to its destination and then renamed, and what a killed one has left
 * there is removed. Links are neither followed nor copied. Throws `already_exists`, `bad_request`,
 * `not_found` for the folder, `unavailable` for a missing file.
 */
export async function exportAll(target: string, deps: ExportDependencies): Promise<ExportResult> {
  const dir = resolve(target);
  await assertFree(dir, deps.instance);
  const temporary = await makeTemporaryFolder(dir, deps.locks);
  try {
    const counts = await fill(temporary.path, deps);
    await fsyncFolder(temporary.path);
    // An empty folder is replaced; one that has been filled in the meantime isn't.
    if (await exists(dir)) await rmdir(dir);
    await rename(temporary.path, dir);
    await fsyncFolder(dirname(dir));
    return { dir, ...counts };
  } catch (error) {
    await removeTree(temporary.path);
    throw error;
  } finally {
    temporary.end();
  }
}
