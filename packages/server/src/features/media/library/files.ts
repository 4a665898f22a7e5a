import { constants } from "node:fs";
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../../kit/json.ts";
import { newUlid } from "../../../kit/ulid.ts";
import {
  exists,
  fsyncFile,
  fsyncFolder,
  undefinedIfMissing,
  removeTree,
  writeFileAtomic,
} from "../../../platform/files.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import type { FileCopies } from "../../../platform/storage/file-copies.ts";

const address = /^\/media\/\d{4}\/[a-z0-9][a-z0-9-]*\.[a-z0-9]+$/;

const intentName = "intent.json";
/** The folder below data/ of what items were before they were cut. */
export const originalsFolder = "media-originals";
/** Extension of a file while it is copied to the media folder. */
const partial = ".part";

/** Written before the first file is moved: which files belong to which row. */
const intentSchema = z.strictObject({
  src: z.string().regex(address),
  files: z.array(z.string().regex(address)),
});
type Intent = z.infer<typeof intentSchema>;

/** The folder of one upload while it is processed. */
export interface JobFolder {
  dir: string;
  /** The received file. */
  original: string;
  /** The folder for its results, under their final names. */
  out: string;
}

/** Whether the row with this address exists, which alone decides whether its files are kept. */
export type RowExists = (src: string) => Promise<boolean>;

export interface MediaFiles {
  /** Creates a job's folder. */
  createJob(now: number): Promise<JobFolder>;
  /** Moves a received file into the job. */
  receive(job: JobFolder, file: string): Promise<void>;
  /** Durably stores which files the row `src` has; `finalize` uses it, even after a crash. */
  writeIntent(job: JobFolder, intent: Intent): Promise<void>;
  /** Durably moves the results to where they are served from. */
  place(job: JobFolder, intent: Intent): Promise<void>;
  /** Ends a job: places the files if their row exists, otherwise removes them. */
  finalize(job: JobFolder, hasRow: RowExists): Promise<void>;
  /** What a dead process left in the uploads folder: jobs, and incomplete ones. */
  leftovers(): Promise<JobFolder[]>;
  /** Where the file with this address is. */
  fileOf(src: string): string;
  /** The folder of what an item was before it was cut; nothing there is served to visitors. */
  originalsOf(id: number): string;
  /** Durably copies files with these addresses to `originalsOf`, all or none. */
  keepOriginals(id: number, files: readonly string[]): Promise<void>;
  /** Copies what `originalsOf` has to where the job's results are. */
  takeOriginals(id: number, job: JobFolder): Promise<void>;
  /** The IDs of all items that have originals. */
  listOriginals(): Promise<number[]>;
  removeOriginals(id: number): Promise<void>;
  /** Whether all these addresses are regular files. */
  exist(files: readonly string[]): Promise<boolean>;
}

async function isRegular(file: string): Promise<boolean> {
  return (await undefinedIfMissing(lstat(file)))?.isFile() ?? false;
}

/**
 * Renames a file; if the target is on a different file system, copies it to a temporary name first.
 */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copyFile(from, to + partial, constants.COPYFILE_FICLONE);
    await fsyncFile(to + partial);
    await rename(to + partial, to);
    await removeTree(from);
  }
}

/** Creates a folder and its parents durably. */
async function makeFolder(dir: string): Promise<void> {
  const first = await mkdir(dir, { recursive: true });
  if (first === undefined) return;
  for (let made = dir; made.length >= first.length; made = dirname(made)) {
    await fsyncFolder(dirname(made));
  }
}

/** Folders in the uploads folder that belong to others: their partial uploads are still needed. */
const reservedFolders = new Set(["tus"]);

function jobFolder(uploads: string, name: string): JobFolder {
  const dir = join(uploads, name);
  return { dir, original: join(dir, "original"), out: join(dir, "out") };
}

/** Undefined if there is no intent: the job didn't get that far, or the file is of another kind. */
async function readIntent(job: JobFolder): Promise<Intent | undefined> {
  const text = await undefinedIfMissing(readFile(join(job.dir, intentName), "utf8"));
  return text === undefined ? undefined : intentSchema.parse(parseJson(text));
}

/** The files with these addresses below `publicDir`, where they are served from. */
function makeServed(content: string) {
  const publicDir = join(content, "app/public");
  const fileOf = (src: string) => join(publicDir, src);

  /** The folder of an address, created if missing; throws if a link leads elsewhere. */
  async function folderOf(src: string): Promise<string> {
    const dir = dirname(fileOf(src));
    await makeFolder(dir);
    const real = join(await realpath(content), "app/public", dirname(src));
    if ((await realpath(dir)) !== real) throw new Error(`${dir} is reached through a link`);
    return dir;
  }

  return {
    fileOf,
    /** Moves the files that are in `from` into place. */
    async place(from: string, files: string[]): Promise<void> {
      const folders = new Set<string>();
      for (const src of files) {
        const made = join(from, basename(src));
        if (!(await isRegular(made))) continue;
        folders.add(await folderOf(src));
        await move(made, fileOf(src));
      }
      for (const dir of folders) await fsyncFolder(dir);
    },
    async withdraw(files: string[]): Promise<void> {
      for (const src of files) await removeTree(fileOf(src));
      for (const dir of new Set(files.map((src) => dirname(fileOf(src))))) {
        if (await exists(dir)) await fsyncFolder(dir);
      }
    },
    async removePartial(files: string[]): Promise<void> {
      for (const src of files) await removeTree(fileOf(src) + partial);
    },
  };
}

type Originals = Pick<
  MediaFiles,
  "originalsOf" | "keepOriginals" | "takeOriginals" | "listOriginals" | "removeOriginals"
>;

/** What items were before they were cut, in a folder for each. */
function makeOriginals(
  root: string,
  fileOf: (src: string) => string,
  copies: FileCopies | null,
): Originals {
  const originalsOf = (id: number) => join(root, String(id));
  return {
    originalsOf,
    async keepOriginals(id, files) {
      const unfinished = join(root, `${id}${partial}`);
      await removeTree(unfinished);
      await makeFolder(unfinished);
      for (const src of files) {
        const copy = join(unfinished, basename(src));
        await copyFile(fileOf(src), copy, constants.COPYFILE_FICLONE);
        await fsyncFile(copy);
      }
      await fsyncFolder(unfinished);
      const names = files.map((src) => basename(src));
      await copies?.put(
        names.map((name) => ({ path: join(originalsOf(id), name), from: join(unfinished, name) })),
      );
      await removeTree(originalsOf(id));
      await rename(unfinished, originalsOf(id));
      await fsyncFolder(root);
    },
    async takeOriginals(id, job) {
      for (const name of await readdir(originalsOf(id))) {
        await copyFile(join(originalsOf(id), name), join(job.out, name));
      }
    },
    async listOriginals() {
      const names = (await undefinedIfMissing(readdir(root))) ?? [];
      return names.map((name) => Number.parseInt(name, 10)).filter(Number.isInteger);
    },
    async removeOriginals(id) {
      await removeTree(originalsOf(id));
      await removeTree(join(root, `${id}${partial}`));
    },
  };
}

/** Stores those of a job's results that aren't in place yet for the other nodes. */
function makeCopyOut(fileOf: (src: string) => string, copies: FileCopies | null) {
  return async (job: JobFolder, { files }: Intent): Promise<void> => {
    if (copies === null) return;
    const made = files.map((src) => ({ path: fileOf(src), from: join(job.out, basename(src)) }));
    const isLeft = await Promise.all(made.map(({ from }) => isRegular(from)));
    await copies.put(made.filter((_, at) => isLeft[at]));
  };
}

/** The media files: those served, below `content`, and those being processed. */
export function makeMediaFiles(
  paths: Pick<InstancePaths, "data" | "uploads" | "content">,
  copies: FileCopies | null = null,
): MediaFiles {
  const { data, uploads, content } = paths;
  const served = makeServed(content);
  const copyOut = makeCopyOut(served.fileOf, copies);

  return {
    async createJob(now) {
      const job = jobFolder(uploads, `media-${newUlid(now)}`);
      await mkdir(job.out, { recursive: true });
      return job;
    },
    receive: (job, file) => move(file, job.original),
    async writeIntent(job, intent) {
      for (const src of intent.files) {
        const made = join(job.out, basename(src));
        if (!(await isRegular(made))) continue;
        await chmod(made, 0o644);
        await fsyncFile(made);
      }
      await fsyncFolder(job.out);
      const text = JSON.stringify(intentSchema.parse(intent));
      await writeFileAtomic(join(job.dir, intentName), text);
      await fsyncFolder(uploads);
    },
    async place(job, intent) {
      await copyOut(job, intent);
      await served.place(job.out, intent.files);
    },
    async finalize(job, hasRow) {
      const intent = await readIntent(job);
      if (intent !== undefined) {
        await served.removePartial(intent.files);
        if (await hasRow(intent.src)) {
          await copyOut(job, intent);
          await served.place(job.out, intent.files);
        } else {
          await copies?.remove(intent.files.map(served.fileOf));
          await served.withdraw(intent.files);
        }
      }
      await removeTree(job.dir);
    },
    async leftovers() {
      const names = (await undefinedIfMissing(readdir(uploads))) ?? [];
      return names
        .filter((name) => !reservedFolders.has(name))
        .map((name) => jobFolder(uploads, name));
    },
    fileOf: served.fileOf,
    ...makeOriginals(join(data, originalsFolder), served.fileOf, copies),
    async exist(files) {
      await copies?.fetch(files.map(served.fileOf));
      for (const src of files) if (!(await isRegular(served.fileOf(src)))) return false;
      return true;
    },
  };
}
