import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { createApiToken } from "../../packages/server/src/features/admin-auth/api-tokens.ts";
import { makeAdminGuard } from "../../packages/server/src/features/admin-auth/guard.ts";
import { expect } from "vitest";
import { registerMedia } from "../../packages/server/src/features/media/api.ts";
import {
  type VideoConverter,
  makeVideoConverter,
} from "../../packages/server/src/features/media/video/video-converter.ts";
import {
  type ImageWorkers,
  makeImageWorkers,
} from "../../packages/server/src/features/media/image/workers.ts";
import { makeMediaLibrary } from "../../packages/server/src/features/media/library/library.ts";
import { makeReferences } from "../../packages/server/src/features/media/reference/references.ts";
import type { MediaList } from "../../packages/server/src/features/media/schema.ts";
import { usesOfMedia } from "../../packages/server/src/features/media/store.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits, type Limits } from "../../packages/server/src/platform/config.ts";
import type { SharedUploadsOptions } from "../../packages/server/src/features/media/upload/shared-uploads.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import { type DiskQuota, unlimitedDisk } from "../../packages/server/src/platform/disk-quota.ts";
import {
  type AppServer,
  createHttpServer,
} from "../../packages/server/src/platform/http/server.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { instancePaths } from "../../packages/server/src/platform/paths.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { makeTestDatabase } from "./database.ts";
import { eventually } from "./eventually.ts";
import { tempFolder } from "./temp.ts";

export interface MediaAnswer<T> {
  status: number;
  headers: Headers;
  ok: boolean;
  data: T;
  error: { code: string; message: string; fields?: Record<string, string> };
}

/** The media's HTTP doors over a database, a folder and workers of their own. */
export interface MediaApp extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly clock: FakeClock;
  readonly db: Db;
  readonly paths: ReturnType<typeof instancePaths>;
  /** The Authorization header of a token that may write. */
  readonly bearer: Record<string, string>;
  /** The log so far. */
  logged(): string;
  ask<T>(path: string, init?: RequestInit): Promise<MediaAnswer<T>>;
  post<T>(path: string, body: unknown): Promise<MediaAnswer<T>>;
  upload<T>(form: FormData): Promise<MediaAnswer<T>>;
  /** All files below the folders of uploads and of media, each by its path there. */
  files(): Promise<{ uploads: string[]; media: string[] }>;
  /** Deletes all items and waits until no file is left anywhere; fails when one stays. */
  clear(): Promise<void>;
  /** Closes the server with its workers and starts another over the same data. */
  restart(): Promise<void>;
}

async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .toSorted();
}

/** One run of the server; `close` ends all that it started. */
async function serve(
  parts: Pick<MediaApp, "clock" | "db" | "paths"> & {
    limits: Limits["media"];
    log: ReturnType<typeof createLog>;
    images: ImageWorkers;
    videos: VideoConverter;
    prepare: ((app: AppServer) => void) | undefined;
    onChange: (() => Promise<void>) | undefined;
    shared: SharedUploadsOptions | null;
    quota: DiskQuota;
  },
) {
  const { clock, db, log } = parts;
  const usesOf = async (trx: Db, { id }: { id: number }) => ({
    projects: (await usesOfMedia(trx, [id])).get(id) ?? [],
    files: [],
    runs: [],
  });
  const library = makeMediaLibrary({
    ...parts,
    usesOf,
    onChange: parts.onChange ?? (async () => {}),
    onAddressChange: async () => {},
  });
  const references = makeReferences(parts);
  await library.recover();
  await references.recover();
  const app = createHttpServer({ log, name: "test", secure: false });
  const guard = makeAdminGuard({ db, clock, config: { baseUrl: "http://localhost:3000" } });
  parts.prepare?.(app);
  registerMedia(app, { ...parts, guard, library, references });
  // Another time another port: the one that was may be somebody else's by then.
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    url,
    port: (app.server.address() as { port: number }).port,
    close: async () => {
      await app.close();
      await library.close();
    },
  };
}

/**
 * Starts a server with the real guard, library and workers; `searchPath` is where ffmpeg is looked
 * for, `prepare` adds hooks that come before all others, `onChange` is called in the transaction of a
 * change. With `db` and `shared`, it is one of several
 * nodes; `shared` is read at each start.
 */
export async function startMediaApp(
  options: {
    limits?: Partial<Limits["media"]>;
    searchPath?: string;
    prepare?: (app: AppServer) => void;
    onChange?: () => Promise<void>;
    db?: Db;
    shared?: SharedUploadsOptions | null;
    quota?: DiskQuota;
  } = {},
): Promise<MediaApp> {
  const own = options.db === undefined ? await makeTestDatabase() : null;
  const db = own?.database.db ?? (options.db as Db);
  const folder = await tempFolder();
  const paths = instancePaths(folder.path);
  const clock = fakeClock(Date.now());
  const limits = { ...defaultLimits.media, ...options.limits };
  let text = "";
  const destination = new PassThrough().on("data", (chunk) => (text += String(chunk)));
  const log = createLog({ level: "info", name: "test", destination });
  const { token } = await createApiToken({
    db,
    clock,
    name: folder.path,
    scopes: ["read", "write"],
  });
  const start = async () => {
    const images = makeImageWorkers({ limits, log, workers: 1, dir: join(paths.data, "images") });
    const videos = await makeVideoConverter({
      paths,
      limits,
      sandbox: "auto",
      log,
      clock: systemClock,
      ...(options.searchPath === undefined ? {} : { tools: { searchPath: options.searchPath } }),
    });
    return serve({
      clock,
      db,
      paths,
      limits,
      log,
      images,
      videos,
      prepare: options.prepare,
      onChange: options.onChange,
      shared: options.shared ?? null,
      quota: options.quota ?? unlimitedDisk,
    });
  };
  let running = await start();
  const bearer = { authorization: `Bearer ${token}` };
  const ask = async <T>(path: string, init: RequestInit = {}): Promise<MediaAnswer<T>> => {
    const headers = { ...bearer, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(running.url + path, { ...init, headers });
    const body = (await response.json()) as Pick<MediaAnswer<T>, "ok" | "data" | "error">;
    return { ...body, status: response.status, headers: response.headers };
  };
  const app: MediaApp = {
    get url() {
      return running.url;
    },
    get port() {
      return running.port;
    },
    clock,
    db,
    paths,
    bearer,
    logged: () => text,
    ask,
    post: (path, body) =>
      ask(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    upload: (form) => ask("/api/media/upload", { method: "POST", body: form }),
    files: async () => ({
      uploads: await filesBelow(paths.uploads),
      media: await filesBelow(join(paths.content, "app/public/media")),
    }),
    async clear() {
      const { data } = await app.ask<MediaList>("/api/media/list?perPage=100");
      for (const { id } of data.items) await app.post("/api/media/delete", { id });
      await eventually(async () => {
        expect(await app.files()).toEqual({ uploads: [], media: [] });
      });
    },
    async restart() {
      await running.close();
      running = await start();
    },
    async [Symbol.asyncDispose]() {
      await running.close();
      await own?.cleanup();
      await folder.remove();
    },
  };
  return app;
}
