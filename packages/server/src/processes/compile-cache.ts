import { lstatSync, mkdirSync } from "node:fs";
import type { InstancePaths } from "../platform/paths.ts";

function isOwnFolder(path: string, uid: number): boolean {
  const info = lstatSync(path);
  return info.isDirectory() && info.uid === uid;
}

/**
 * The folder with the program's compiled code for Node's compile cache, which is created if it is
 * missing. Null if the instance isn't installed, if the folder can't be written, or if another user
 * owns it or could change it: Node runs what it finds there, so root must not use the folder of the
 * user that an instance runs as. Builds can't reach the folder.
 */
export function openCompileCache(paths: InstancePaths): string | null {
  const uid = process.getuid?.();
  if (uid === undefined) return null;
  const { data, installLock, compileCache } = paths;
  try {
    lstatSync(installLock);
    if (!isOwnFolder(data, uid)) return null;
    mkdirSync(compileCache, { recursive: true, mode: 0o700 });
    const isShared = (lstatSync(compileCache).mode & 0o022) !== 0;
    return isOwnFolder(compileCache, uid) && !isShared ? compileCache : null;
  } catch {
    return null;
  }
}
