/**
 * Uploads files to an instance, all at once, every second one as a resumable upload, as the console
 * does; a program of its own, so that its work doesn't delay what its parent measures. It waits and
 * tries again as often as the server says. Reads its task from the standard input, prints an
 * `UploadOutcome`.
 */
import { readFile } from "node:fs/promises";
import { type ClientRequest, request as send } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

export interface UploadTask {
  origin: string;
  token: string;
  /** Files to send, again and again up to `count`, each time with other bytes after its end. */
  files: string[];
  count: number;
  /** Makes the files of this task differ from those of others. */
  mark: string;
}

export interface UploadOutcome {
  stored: number;
  failed: string[];
  /** How often the server said that its queue was full. */
  busy: number;
  /** The shares of the bodies that had been sent when it did. */
  sentShares: number[];
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** Share of the body that was sent when the response came. */
  sentShare: number;
}

interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** All uploads together come over a network of one gigabit a second. */
const bytesPerMs = 125_000;
const pieceBytes = 64 * 1024;
let freeAt = 0;

/** Waits until the network has carried what was sent before. */
async function networkFree(bytes: number): Promise<void> {
  const now = performance.now();
  const due = Math.max(now, freeAt);
  freeAt = due + bytes / bytesPerMs;
  // Timers are no finer.
  if (due - now >= 1) await delay(due - now);
}

const task = JSON.parse(await text(process.stdin)) as UploadTask;
const authorization = `Bearer ${task.token}`;

/** Writes a body in pieces, until all is sent or the connection is closed. */
function sendBody(request: ClientRequest, body: Buffer): { sentBytes(): number } {
  let sent = 0;
  const write = async () => {
    while (sent < body.length && !request.destroyed) {
      const piece = body.subarray(sent, sent + pieceBytes);
      await networkFree(piece.length);
      const written = Promise.withResolvers<void>();
      request.write(piece, () => written.resolve());
      await written.promise;
      sent += piece.length;
    }
    request.end();
  };
  void write();
  return { sentBytes: () => sent };
}

function call({ method, path, headers, body }: Call): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = send(new URL(path, task.origin), {
    method,
    headers: { authorization, "content-length": String(body.length), ...headers },
  });
  request.on("error", reject);
  const { sentBytes } = sendBody(request, body);
  request.on("response", (response) => {
    const sentShare = body.length === 0 ? 0 : sentBytes() / body.length;
    const status = response.statusCode ?? 0;
    text(response).then(
      (content) => resolve({ status, headers: response.headers, body: content, sentShare }),
      reject,
    );
  });
  return promise;
}

function formOf(name: string, file: Buffer): { headers: Record<string, string>; body: Buffer } {
  const boundary = `----vitrine${task.mark}`;
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: image/jpeg\r\n\r\n`;
  return {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}

const outcome: UploadOutcome = { stored: 0, failed: [], busy: 0, sentShares: [] };

/** Makes a call until the server has room for it. */
async function callUntilTaken(each: Call): Promise<Answer> {
  for (;;) {
    const answer = await call(each);
    if (answer.status !== 503) return answer;
    outcome.busy += 1;
    outcome.sentShares.push(answer.sentShare);
    await delay(Number(answer.headers["retry-after"] ?? 1) * 1000);
  }
}

async function uploadWhole(name: string, file: Buffer): Promise<void> {
  const form = formOf(name, file);
  const answer = await callUntilTaken({ method: "POST", path: "/api/media/upload", ...form });
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.body}`);
}

async function uploadInParts(name: string, file: Buffer): Promise<void> {
  const metadata = `filename ${Buffer.from(name).toString("base64")}`;
  const tus = { "tus-resumable": "1.0.0" };
  const made = await callUntilTaken({
    method: "POST",
    path: "/api/media/uploads",
    headers: { ...tus, "upload-length": String(file.length), "upload-metadata": metadata },
    body: Buffer.alloc(0),
  });
  const path = String(made.headers["location"]);
  const offset = { "upload-offset": "0", "content-type": "application/offset+octet-stream" };
  const sent = await callUntilTaken({
    method: "PATCH",
    path,
    headers: { ...tus, ...offset },
    body: file,
  });
  if (sent.status !== 204) throw new Error(`${sent.status} ${sent.body}`);
  for (;;) {
    const job = `/api/media/jobs/${path.split("/").at(-1)}`;
    const { body } = await call({ method: "GET", path: job, headers: {}, body: Buffer.alloc(0) });
    const { data } = JSON.parse(body) as { data: { status: string } };
    if (data.status === "done") return;
    if (data.status === "failed") throw new Error(body);
    await delay(700);
  }
}

const files = await Promise.all(task.files.map((file) => readFile(file)));
const uploads = Array.from({ length: task.count }, async (_value, at) => {
  const name = `${task.mark}-${at}.jpg`;
  const image = files[at % files.length] ?? Buffer.alloc(0);
  // After the end of the image: another file, with the same image.
  const file = Buffer.concat([image, Buffer.from(name)]);
  // In pairs, so that both kinds send each file.
  const upload = at % (2 * files.length) < files.length ? uploadWhole : uploadInParts;
  try {
    await upload(name, file);
    outcome.stored += 1;
  } catch (error) {
    outcome.failed.push(error instanceof Error ? error.message : String(error));
  }
});
await Promise.all(uploads);
console.log(JSON.stringify(outcome));
