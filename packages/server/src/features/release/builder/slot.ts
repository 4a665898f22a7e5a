import { hash } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { chmod, chown, mkdir, open, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { removeTree } from "../../../platform/files.ts";
import { platformRoot } from "../../../platform/paths.ts";
import { isBuildPath, isMediaPath } from "../../workspace/content-paths.ts";
import { type Slot, writableFolders } from "./sandbox-bounds.ts";
import { hashImportedCode } from "./imported-code.ts";
import { exportedNames, isContentData } from "./site-data.ts";

/** Unprivileged ids for builders when we are root: below the range systemd gives out, above people. */
const firstUid = 60_600;
const uidCount = 400;

/** The uid that a slot's builder runs under when this process is root; null when it is not. */
export function builderUid(slotNumber: number): number | null {
  return process.getuid?.() === 0 ? firstUid + (slotNumber % uidCount) : null;
}

/** Makes an empty slot below `buildersDir`. `slotNumber` tells the users of simultaneous builds apart. */
export async function makeSlot(
  buildersDir: string,
  name: string,
  slotNumber: number,
): Promise<Slot> {
  const dir = join(buildersDir, name);
  const slot: Slot = {
    dir,
    site: join(dir, "site"),
    out: join(dir, "out"),
    temporary: join(dir, "tmp"),
    uid: builderUid(slotNumber),
  };
  await mkdir(join(slot.site, "app/.astro"), { recursive: true });
  await mkdir(slot.out);
  await mkdir(slot.temporary);
  // Without a mount namespace this is how the site's imports find the platform's packages.
  await symlink(join(platformRoot, "node_modules"), join(dir, "node_modules"));
  const passed = [dir, slot.site, join(slot.site, "app")];
  await Promise.all(passed.map((folder) => chmod(folder, 0o755)));
  const { uid } = slot;
  if (uid !== null)
    await Promise.all(writableFolders(slot).map((folder) => chown(folder, uid, uid)));
  return slot;
}

function processLives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A slot of the pool's; those of probes have a word in the place of the number. */
const pooled = /^(\d+)-\d+-/;

/**
 * Removes the slots below `buildersDir` of processes that ended without doing so, and those of this
 * process's pool that `isNobodys`. Those that can't be removed now stay for the next time.
 */
export async function removeLeftovers(
  buildersDir: string,
  isNobodys: (name: string) => boolean = () => false,
): Promise<void> {
  await mkdir(buildersDir, { recursive: true });
  for (const name of await readdir(buildersDir)) {
    const pid = Number(name.split("-")[0]);
    const isOwn = Number(pooled.exec(name)?.[1]) === process.pid;
    const isLeft = !Number.isInteger(pid) || !processLives(pid) || (isOwn && isNobodys(name));
    if (isLeft) await removeTree(join(buildersDir, name)).catch(() => {});
  }
}

const sourceFolders = ["app", "brand", "database"];
/** Of what a build may read (isBuildPath), what it makes itself or gets elsewhere. */
const skipped = new Set(["app/node_modules", "app/dist"]);

function isCopied(entry: Dirent, path: string): boolean {
  if (skipped.has(path) || isMediaPath(path) || isHidden(entry.name)) return false;
  // Links and devices are refused below, wherever they lie in a folder that is copied.
  return entry.isFile() ? isBuildPath(path) : true;
}

/** Files whose size and number a build has to reckon with. */
export interface CopiedSources {
  files: number;
  bytes: number;
  /** The hash of what is compiled of them; null where a file of app/src/content does not parse. */
  code: string | null;
  /** The hash of the code that draws the résumé's file, or of all code where that can't be told. */
  resumeCode: string | null;
}

/** The page code that draws the résumé's file. */
const resumePage = "app/src/pages/resume.pdf.ts";
/** Larger files are no code that anybody writes. */
const maxCodeBytes = 256 * 1024;
const codeName = /\.(?:[cm]?[jt]sx?|json|css|astro)$/;

async function readSource(path: string): Promise<Buffer> {
  const source = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await source.readFile();
  } finally {
    await source.close();
  }
}

/** What compiled code depends on of a file; null: nothing can be compiled of it. */
function codeOf(path: string, content: Buffer): string | null {
  if (!isContentData(path.slice("app/".length))) return hash("sha256", content, "hex");
  const names = exportedNames(content.toString("utf8"));
  return names === undefined ? null : JSON.stringify(names);
}

type Visit = (path: string, content: Buffer) => Promise<void>;

/**
 * Reads what a build reads, without media, the exported records and dotfiles. `enter` hears of each folder
 * before the files in it. Throws AppError `validation_failed` for anything that is no regular file or
 * folder, links included.
 */
async function readSources(
  contentDir: string,
  enter: (path: string) => Promise<unknown>,
  visit: Visit,
): Promise<CopiedSources> {
  const total = { files: 0, bytes: 0 };
  const codes: [path: string, code: string | null][] = [];
  const texts = new Map<string, string>();
  const readFolder = async (path: string): Promise<void> => {
    const entries = await readdir(join(contentDir, path), { withFileTypes: true });
    await enter(path);
    await Promise.all(
      entries.map(async (entry) => {
        const inner = `${path}/${entry.name}`;
        if (!isCopied(entry, inner)) return;
        if (entry.isDirectory()) return readFolder(inner);
        if (!entry.isFile()) throw notRegular(inner);
        const content = await readSource(join(contentDir, inner));
        await visit(inner, content);
        // The seeds in database/ are no code, and nothing that is compiled of them is used again.
        if (!path.startsWith("database")) codes.push([inner, codeOf(inner, content)]);
        if (content.length <= maxCodeBytes && codeName.test(inner)) {
          texts.set(inner, content.toString("utf8"));
        }
        total.bytes += content.length;
        total.files += 1;
      }),
    );
  };
  const present = new Map(
    (await readdir(contentDir, { withFileTypes: true })).map((entry) => [entry.name, entry]),
  );
  for (const folder of sourceFolders) {
    const entry = present.get(folder);
    if (entry === undefined) continue;
    if (!entry.isDirectory()) throw notRegular(folder);
    await readFolder(folder);
  }
  const isCompilable = codes.every(([, code]) => code !== null);
  const sorted = codes.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const code = isCompilable ? hash("sha256", JSON.stringify(sorted), "hex") : null;
  const resumeCode = code && (hashImportedCode(resumePage, texts, new Map(sorted)) ?? code);
  return { ...total, code, resumeCode };
}

/** Copies what a build reads from a content folder into a slot. Throws as `readSources` does. */
export async function copySources(contentDir: string, slot: Slot): Promise<CopiedSources> {
  return readSources(
    contentDir,
    (path) => mkdir(join(slot.site, path), { recursive: true, mode: 0o755 }),
    (path, content) => writeFile(join(slot.site, path), content, { flag: "wx", mode: 0o644 }),
  );
}

/** The hash of what is compiled of the sources in a content folder, as `copySources` gives it. */
export async function hashSources(contentDir: string): Promise<string | null> {
  const { code } = await readSources(
    contentDir,
    async () => {},
    async () => {},
  );
  return code;
}

/** `.well-known` is the one dotted name that a site serves (RFC 8615). */
function isHidden(name: string): boolean {
  return name.startsWith(".") && name !== ".well-known";
}

function notRegular(path: string): AppError {
  return new AppError(
    "validation_failed",
    `${path} is neither a file nor a folder: links and devices can't be part of the site.`,
  );
}
