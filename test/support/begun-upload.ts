import { once } from "node:events";
import { connect, type Socket } from "node:net";

/**
 * Begins a PATCH of a resumable upload: sends its head and `bytes` of the `length` bytes that it
 * announces. The caller ends or destroys the connection, whose errors are ignored.
 */
export async function beginPatch(
  url: URL,
  sent: { bytes: Uint8Array; length: number; offset?: number; headers: Record<string, string> },
): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  const headers = {
    host: url.host,
    "tus-resumable": "1.0.0",
    "upload-offset": sent.offset ?? 0,
    "content-type": "application/offset+octet-stream",
    "content-length": sent.length,
    ...sent.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write(`PATCH ${url.pathname} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  socket.write(sent.bytes);
  return socket;
}
