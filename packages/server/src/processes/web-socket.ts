import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where web listens for the front. */
export interface WebSocketFile {
  path: string;
  remove(): Promise<void>;
}

/**
 * A Unix socket's path is limited to 104 bytes on macOS and 108 on Linux, including the final zero.
 */
const maxPathBytes = 100;

/** Whether a socket can be created there, which some shared file systems don't support. */
async function canListen(path: string): Promise<boolean> {
  if (Buffer.byteLength(path) > maxPathBytes) return false;
  await rm(path, { force: true });
  const server = createServer();
  try {
    await once(server.listen({ path }), "listening");
  } catch {
    return false;
  }
  await once(server.close(), "close");
  return true;
}

/**
 * Finds a place for the socket: the data folder, otherwise a folder in the temporary folder that
 * only this user can enter. The port distinguishes processes of one instance. Null if there is
 * none.
 */
export async function makeWebSocketFile(
  dataDir: string,
  port: number,
): Promise<WebSocketFile | null> {
  const name = `web-${port}.sock`;
  const path = join(dataDir, name);
  if (await canListen(path)) return { path, remove: () => rm(path, { force: true }) };
  const folder = await mkdtemp(join(tmpdir(), "vitrine-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const other = join(folder, name);
  if (await canListen(other)) return { path: other, remove };
  await remove();
  return null;
}
