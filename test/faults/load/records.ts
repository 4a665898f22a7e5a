import sharp from "sharp";
import type { UploadedMedia } from "../../../packages/server/src/features/media/schema.ts";
import type { ProjectDetail } from "../../../packages/server/src/features/projects/schema.ts";
import { type Actor, attempt, dataOf, type LoadContext, newMark, repeatedly } from "./actor.ts";

/** The number of projects that the load creates; after that, it only changes them. */
const maxProjects = 8;

const bearer = ({ token }: LoadContext) => ({ authorization: `Bearer ${token}` });

async function createProject(context: LoadContext): Promise<void> {
  const summary = newMark(context.random);
  const status = context.random.next() < 0.5 ? "published" : "draft";
  const body = { name: `Project ${summary}`, slug: summary, status, summary };
  const headers = bearer(context);
  const response = await attempt<ProjectDetail>(context, "project", "/api/adminprojects/create", {
    body,
    headers,
  });
  const created = dataOf(response);
  if (created === null) return;
  const { id } = created;
  context.journal.projects.set(id, { id, acknowledged: summary, possible: new Set() });
}

async function saveProject(context: LoadContext): Promise<void> {
  const { random, journal } = context;
  const expected = random.pick([...journal.projects.values()]);
  const headers = bearer(context);
  const path = `/api/adminprojects/get?id=${expected.id}`;
  const read = await attempt<ProjectDetail>(context, "read", path, { headers });
  const version = dataOf(read)?.version;
  if (version === undefined) return;
  const summary = newMark(random);
  expected.possible.add(summary);
  const body = { id: expected.id, version, summary };
  const response = await attempt(context, "project", "/api/adminprojects/save", { body, headers });
  if (dataOf(response) !== null) {
    expected.acknowledged = summary;
    expected.possible.clear();
  } else if (response !== null && response.status < 500) {
    expected.possible.delete(summary);
  }
}

/** Creates and changes projects, both published ones and drafts. */
export const projects: Actor = repeatedly(700, (context) =>
  context.journal.projects.size < maxProjects ? createProject(context) : saveProject(context),
);

/** An image of unique noise. */
async function newImage({ random }: LoadContext): Promise<Buffer> {
  const noise = { type: "gaussian" as const, mean: random.int(60, 200), sigma: 20 };
  const size = { width: random.int(300, 900), height: random.int(200, 600), channels: 3 as const };
  return sharp({ create: { ...size, background: "gray", noise } })
    .jpeg({ quality: 80 })
    .toBuffer();
}

/** The number of uploads that an actor keeps; the oldest is deleted when a new one is added. */
const maxUploads = 4;

async function upload(
  context: LoadContext,
  bytes: Buffer,
  name: string,
): Promise<UploadedMedia | null> {
  const body = new FormData();
  body.set("file", new Blob([new Uint8Array(bytes)]), name);
  const kind = name.endsWith(".jpg") ? "image" : "video";
  const options = { body, headers: bearer(context), timeoutMs: 60_000 };
  const response = await attempt<UploadedMedia>(context, kind, "/api/media/upload", options);
  return dataOf(response);
}

/** From the request to delete it, an upload may or may not exist. */
async function remove(context: LoadContext, { id, src }: UploadedMedia): Promise<void> {
  context.journal.media.delete(src);
  const options = { body: { id }, headers: bearer(context) };
  await attempt(context, "deletion", "/api/media/delete", options);
}

/** Uploads files one after the other and deletes what it uploaded before others. */
function uploads(
  maxPauseMs: number,
  next: (context: LoadContext) => Promise<[Buffer, string]>,
): Actor {
  return (context) => {
    const mine: UploadedMedia[] = [];
    const turn = async () => {
      const stored = await upload(context, ...(await next(context)));
      if (stored === null) return;
      context.journal.media.add(stored.src);
      mine.push(stored);
      const oldest = mine.length > maxUploads ? mine.shift() : undefined;
      if (oldest !== undefined) await remove(context, oldest);
    };
    return repeatedly(maxPauseMs, turn)(context);
  };
}

/** Uploads images, each of them new. */
export const images: Actor = uploads(1500, async (context) => [
  await newImage(context),
  "image.jpg",
]);

/** Uploads videos; `bytesOf` gives one that is new. */
export const makeVideos = (bytesOf: (mark: string) => Buffer, maxPauseMs: number): Actor =>
  uploads(maxPauseMs, async ({ random }) => [bytesOf(newMark(random)), "video.webm"]);
