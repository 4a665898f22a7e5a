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

const address = /^\/media\/\d{4}\/[a-z0-9][a-z0-9-]*\.[a-z0-9]+$/;

const intentName = "intent.json";
/** What a file is called in the media folder while it is copied there. */
const partial = ".part";

/** Said before the first file moves: which files belong to which row. */
const intentSchema = z.strictObject({
  src: z.string().regex(address),
  files: z.array(z.string().regex(address)),
});
type Intent = z.infer<typeof intentSchema>;

/** A folder in which one upload is worked on. */
export interface JobFolder {
  dir: string;
  /** The received file. */
  original: string;
  /** Where what is made of it goes, under the names that it will have. */
  out: string;
}

/** Whether the row of this address is there: it alone decides whether the files are. */
export type RowExists = (src: string) => Promise<boolean>;

export interface MediaFiles {
  /** Makes a job's folder. */
  createJob(now: number): Promise<JobFolder>;
  /** Moves a received file into the job. */
  receive(job: JobFolder, file: string): Promise<void>;
  /** Says durably which files the row `src` has; `finalize` acts on it, also after a crash. */
  writeIntent(job: JobFolder, intent: Intent): Promise<void>;
  /** Puts what was made where it is served from, durably. */
  place(job: JobFolder, intent: Intent): Promise<void>;
  /** Ends a job: the files of a row that is there are placed, those of one that is not are removed. */
  finalize(job: JobFolder, hasRow: RowExists): Promise<void>;
  /** What a dead process left in the uploads: jobs, and what never became one. */
  leftovers(): Promise<JobFolder[]>;
  /** Whether all these addresses are regular files. */
  exist(files: readonly string[]): Promise<boolean>;
}

async function isRegular(file: string): Promise<boolean> {
  return (await undefinedIfMissing(lstat(file)))?.isFile() ?? false;
}

/** Renames; where the target is on another file system, copies beside it first. */
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

/** Makes a folder with all above it, so that it is still there after a power loss. */
async function makeFolder(dir: string): Promise<void> {
  const first = await mkdir(dir, { recursive: true });
  if (first === undefined) return;
  for (let made = dir; made.length >= first.length; made = dirname(made)) {
    await fsyncFolder(dirname(made));
  }
}

/** The folder of the uploads that is another's: what is half received is still wanted. */
const reservedFolders = new Set(["tus"]);

function jobFolder(uploads: string, name: string): JobFolder {
  const dir = join(uploads, name);
  return { dir, original: join(dir, "original"), out: join(dir, "out") };
}

/** Undefined where nothing was intended: a job that had not come so far, or a file of another kind. */
async function readIntent(job: JobFolder): Promise<Intent | undefined> {
  const text = await undefinedIfMissing(readFile(join(job.dir, intentName), "utf8"));
  return text === undefined ? undefined : intentSchema.parse(parseJson(text));
}

/** The addresses' files below `publicDir`, where they are served from. */
function makeServed(content: string) {
  const publicDir = join(content, "app/public");
  const fileOf = (src: string) => join(publicDir, src);

  /** The folder of an address, made when missing; it must be where it says, through no link. */
  async function folderOf(src: string): Promise<string> {
    const dir = dirname(fileOf(src));
    await makeFolder(dir);
    const real = join(await realpath(content), "app/public", dirname(src));
    if ((await realpath(dir)) !== real) throw new Error(`${dir} is reached through a link`);
    return dir;
  }

  return {
    fileOf,
    /** Takes over those of the files that are in `from`. */
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

/** The files of the media: those that are served, below `content`, and what is on its way to them. */
export function makeMediaFiles(paths: Pick<InstancePaths, "uploads" | "content">): MediaFiles {
  const { uploads, content } = paths;
  const served = makeServed(content);
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
    place: (job, intent) => served.place(job.out, intent.files),
    async finalize(job, hasRow) {
      const intent = await readIntent(job);
      if (intent !== undefined) {
        await served.removePartial(intent.files);
        if (await hasRow(intent.src)) await served.place(job.out, intent.files);
        else await served.withdraw(intent.files);
      }
      await removeTree(job.dir);
    },
    async leftovers() {
      const names = (await undefinedIfMissing(readdir(uploads))) ?? [];
      return names
        .filter((name) => !reservedFolders.has(name))
        .map((name) => jobFolder(uploads, name));
    },
    async exist(files) {
      for (const src of files) if (!(await isRegular(served.fileOf(src)))) return false;
      return true;
    },
  };
}
