import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Job, UploadedMedia } from "../../../packages/server/src/features/media/schema.ts";
import { beginPatch } from "../../support/begun-upload.ts";
import { noise } from "../../support/image-bytes.ts";
import { count } from "../journal.ts";
import { type Actor, attempt, dataOf, type LoadContext, repeatedly } from "../load/actor.ts";
import type { Product } from "../product.ts";
import type { Cluster } from "./cluster.ts";

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** The number of stored images; the oldest is deleted when a new one is added. */
const maxImages = 12;

async function deleteOldest(context: LoadContext, { uploads }: Cluster, stored: UploadedMedia[]) {
  const oldest = stored.length > maxImages ? stored.shift() : undefined;
  if (oldest === undefined) return;
  // From here on, it may exist or not.
  uploads.addresses.delete(oldest.src);
  uploads.files.delete(oldest.sha256);
  context.journal.media.delete(oldest.src);
  const headers = { authorization: `Bearer ${context.token}` };
  await attempt(context, "deletion", "/api/media/delete", { body: { id: oldest.id }, headers });
}

function acknowledge({ journal }: LoadContext, { uploads }: Cluster, media: UploadedMedia): void {
  journal.media.add(media.src);
  uploads.addresses.set(media.src, performance.now());
}

/** Uploads new images, each in one request to any node. */
export function makeFormUploads(cluster: Cluster): Actor {
  const stored: UploadedMedia[] = [];
  return repeatedly(2500, async (context) => {
    const { random } = context;
    const size = [random.int(300, 700), random.int(200, 500)] as const;
    const bytes = await noise(...size, 3, random.int(1, 2 ** 31))
      .jpeg({ quality: 80 })
      .toBuffer();
    const body = new FormData();
    body.set("file", new Blob([new Uint8Array(bytes)]), "image.jpg");
    const headers = { authorization: `Bearer ${context.token}` };
    const options = { body, headers };
    const response = await attempt<UploadedMedia>(context, "image", "/api/media/upload", options);
    const media = dataOf(response);
    if (media === null) return;
    cluster.uploads.files.set(sha256(bytes), "in one request");
    acknowledge(context, cluster, media);
    stored.push(media);
    await deleteOldest(context, cluster, stored);
  });
}

/** A resumable upload that is sent to any node, piece by piece. */
interface Sending {
  context: LoadContext;
  nodes: readonly Product[];
  path: string;
  bytes: Buffer;
  /** The highest number of bytes that any node has acknowledged. */
  received: number;
}

const headersOf = ({ token }: LoadContext) => ({
  authorization: `Bearer ${token}`,
  "tus-resumable": "1.0.0",
});

async function request(context: LoadContext, url: string, init: RequestInit) {
  const headers = { ...headersOf(context), ...(init.headers as Record<string, string>) };
  try {
    const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(30_000) });
    count(context.journal, "tus", response.ok ? "done" : "refused");
    if (response.status === 500) context.journal.anomalies.push(`${url} answered 500`);
    return response;
  } catch {
    count(context.journal, "tus", "unanswered");
    return null;
  }
}

/** Notes what a node has acknowledged. */
function note(sending: Sending, offset: number): void {
  const { context, path, received } = sending;
  if (offset < received) {
    context.journal.anomalies.push(`${path} lost bytes: ${offset} of ${received} are left`);
  }
  sending.received = Math.max(offset, received);
}

async function askOffset(sending: Sending, baseUrl: string): Promise<number | null> {
  const head = await request(sending.context, baseUrl + sending.path, { method: "HEAD" });
  if (head?.status !== 200) return null;
  const offset = Number(head.headers.get("upload-offset"));
  note(sending, offset);
  return offset;
}

/** Sends the next piece to a random node; now and then, the connection breaks in the middle. */
async function sendPiece(sending: Sending): Promise<void> {
  const { context, nodes, path, bytes } = sending;
  const { random } = context;
  const { baseUrl } = random.pick(nodes);
  const offset = await askOffset(sending, baseUrl);
  if (offset === null || offset >= bytes.length) return;
  const piece = bytes.subarray(offset, offset + random.int(200_000, 2_000_000));
  if (random.next() < 0.2) {
    const { length } = piece;
    const sent = piece.subarray(0, random.int(1, length - 1));
    const headers = headersOf(context);
    const url = new URL(path, baseUrl);
    const socket = await beginPatch(url, { bytes: sent, length, offset, headers }).catch(
      () => null,
    );
    await delay(random.int(0, 300));
    socket?.destroy();
    return;
  }
  const response = await request(context, baseUrl + path, {
    method: "PATCH",
    headers: { "upload-offset": `${offset}`, "content-type": "application/offset+octet-stream" },
    body: new Uint8Array(piece),
  });
  if (response?.status === 204) note(sending, Number(response.headers.get("upload-offset")));
}

/** Waits for the stored file; null if the load ends first. */
async function awaitJob({ context, path }: Sending): Promise<UploadedMedia | null> {
  const headers = { authorization: `Bearer ${context.token}` };
  while (!context.signal.aborted) {
    await delay(500);
    const job = path.replace("uploads", "jobs");
    const data = dataOf(await attempt<Job>(context, "read", job, { headers }));
    if (data?.status === "done") return data.media as UploadedMedia;
    if (data?.status === "failed") {
      context.journal.anomalies.push(`${path} failed: ${JSON.stringify(data)}`);
      return null;
    }
  }
  return null;
}

async function create(context: LoadContext, { nodes }: Cluster, bytes: Buffer) {
  const { baseUrl } = context.random.pick(nodes);
  const filename = Buffer.from("noise.png").toString("base64");
  const headers = { "upload-length": `${bytes.length}`, "upload-metadata": `filename ${filename}` };
  const url = `${baseUrl}/api/media/uploads`;
  const created = await request(context, url, { method: "POST", headers });
  return created?.status === 201 ? created.headers.get("location") : null;
}

/** Uploads new images as resumable uploads, each of them through several nodes. */
export function makeResumableUploads(cluster: Cluster): Actor {
  const stored: UploadedMedia[] = [];
  return repeatedly(2000, async (context) => {
    const { random, signal } = context;
    const size = [random.int(600, 1200), random.int(400, 900)] as const;
    const bytes = await noise(...size, 3, random.int(1, 2 ** 31))
      .png({ compressionLevel: 0 })
      .toBuffer();
    const path = await create(context, cluster, bytes);
    if (path === null) return;
    const sending: Sending = { context, nodes: cluster.nodes, path, bytes, received: 0 };
    while (sending.received < bytes.length && !signal.aborted) {
      await sendPiece(sending);
      await delay(random.int(0, 200));
    }
    if (sending.received < bytes.length) return;
    cluster.uploads.files.set(sha256(bytes), `as ${path}`);
    const media = await awaitJob(sending);
    if (media === null) return;
    acknowledge(context, cluster, media);
    stored.push(media);
    await deleteOldest(context, cluster, stored);
  });
}
