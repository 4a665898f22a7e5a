import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ToolRefusal } from "./refusal.ts";

/** An open folder whose entries are accessed through the folder itself, not through its path. */
export interface Folder {
  /**
   * The path for accessing an entry; it stays in this folder even if the path to the folder is
   * replaced.
   */
  entry(name: string): string;
  close(): Promise<void>;
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const viaProc = process.platform === "linux";

function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** O_NOFOLLOW fails with ELOOP or ENOTDIR for a link; on FreeBSD with EMLINK. */
function refusalOf(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (code === "ELOOP" || code === "EMLINK") {
    return new ToolRefusal("link", `${path} is a link; links are not followed.`, { cause: error });
  }
  if (code === "ENOTDIR") {
    return new ToolRefusal("link", `${path} is not a folder of its own.`, { cause: error });
  }
  if (code === "ENOENT") {
    return new ToolRefusal("not_found", `There is no ${path}.`, { cause: error });
  }
  if (code === "ENXIO") {
    return new ToolRefusal("not_a_file", `${path} is not a regular file.`, { cause: error });
  }
  return error;
}

/**
 * Node has no openat(2). On Linux, `/proc/self/fd/<n>/name` is equivalent: the kernel resolves it
 * in the open folder, so later changes to the path have no effect. On other systems, the path is
 * used and compared with the open folder before each use.
 */
function folderOf(handle: FileHandle, path: string): Folder {
  return {
    entry: (name) => (viaProc ? `/proc/self/fd/${handle.fd}/${name}` : join(path, name)),
    close: () => handle.close(),
  };
}

async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  if (viaProc) return (await readlink(`/proc/self/fd/${handle.fd}`)) === path;
  if ((await realpath(path)) !== path) return false;
  const [opened, named] = await Promise.all([handle.stat(), lstat(path)]);
  return opened.dev === named.dev && opened.ino === named.ino;
}

async function openChild(parent: Folder, name: string, path: string, create: boolean) {
  try {
    return await open(parent.entry(name), folderFlags);
  } catch (error) {
    if (!create || errorCode(error) !== "ENOENT") throw refusalOf(error, path);
  }
  await mkdir(parent.entry(name), { mode: 0o755 }).catch((error: unknown) => {
    if (errorCode(error) !== "EEXIST") throw error;
  });
  return open(parent.entry(name), folderFlags).catch((error: unknown) => {
    throw refusalOf(error, path);
  });
}

/**
 * Opens a folder component by component from the root without following links, and verifies at the
 * end that it is the named folder. `root` must be a real path.
 */
export async function openFolder(
  root: string,
  parts: readonly string[],
  options: { create?: boolean } = {},
): Promise<Folder> {
  let handle = await open(root, folderFlags);
  let path = root;
  try {
    for (const name of parts) {
      const next = await openChild(
        folderOf(handle, path),
        name,
        parts.join("/"),
        options.create ?? false,
      );
      await handle.close();
      handle = next;
      path = join(path, name);
    }
    if (!(await isAt(handle, path))) {
      throw new ToolRefusal("link", `${parts.join("/")} leads outside the workspace.`);
    }
    return folderOf(handle, path);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Opens a regular file of a folder for reading without following links. A file with a second name
 * (hard link) is refused, too, because it may be outside, unless only the program writes to the
 * folder (`shared`).
 */
export async function openRegular(
  folder: Folder,
  name: string,
  path: string,
  options: { shared?: boolean } = {},
): Promise<{ handle: FileHandle; size: number }> {
  // Without O_NONBLOCK, a named pipe would block the run.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(folder.entry(name), flags).catch((error: unknown) => {
    throw refusalOf(error, path);
  });
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new ToolRefusal("not_a_file", `${path} is a folder.`);
    if (!stat.isFile()) throw new ToolRefusal("not_a_file", `${path} is not a regular file.`);
    if (stat.nlink > 1 && options.shared !== true)
      throw new ToolRefusal("link", `${path} is a link.`);
    return { handle, size: stat.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
