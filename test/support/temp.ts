import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "../../packages/server/src/platform/files.ts";

export interface TempFolder extends AsyncDisposable {
  path: string;
  remove(): Promise<void>;
}

/** A new empty folder, removed by `remove()` or at the end of an `await using` block. */
export async function tempFolder(): Promise<TempFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "vitrine-")));
  const remove = () => removeTree(path);
  return { path, remove, [Symbol.asyncDispose]: remove };
}
