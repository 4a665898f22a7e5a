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

/** The address of a Unix socket has room for 104 bytes on macOS and 108 on Linux, with a zero at the end. */
const maxPathBytes = 100;

/** Whether a socket can be made there: not every file system that a folder is shared by can. */
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
 * Finds a place for the socket: the data folder, else a folder in the temporary one that only this user
 * can enter. The port keeps those apart that serve one instance. Null where there is none.
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
