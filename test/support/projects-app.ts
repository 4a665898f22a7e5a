import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createApiToken } from "../../packages/server/src/features/admin-auth/api-tokens.ts";
import { makeAdminGuard } from "../../packages/server/src/features/admin-auth/guard.ts";
import { insertMedia } from "../../packages/server/src/features/media/store.ts";
import { registerProjects } from "../../packages/server/src/features/projects/api.ts";
import { makeProjects } from "../../packages/server/src/features/projects/projects.ts";
import type { ProjectDetail } from "../../packages/server/src/features/projects/schema.ts";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import { migrate } from "../../packages/server/src/platform/db/migrate.ts";
import { createHttpServer } from "../../packages/server/src/platform/http/server.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { adminCookie, type Answer, makeAsk } from "./admin-session.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import type { DatabaseMaker } from "./postgres.ts";
import { tempFolder } from "./temp.ts";

export interface ProjectsApp extends AsyncDisposable {
  db: Db;
  clock: FakeClock;
  mediaRoot: string;
  /** What the site was told to follow. */
  changes: string[];
  /** The headers of the signed-in admin. */
  session: Record<string, string>;
  /** Called in place of being told, until it is unset. */
  onChange: ((transaction: Db) => Promise<void>) | undefined;
  /** Where the server listens. */
  url: string;
  /** Asks as the signed-in admin, or with these headers instead. */
  ask<T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  create(fields?: object): Promise<ProjectDetail>;
  get(id: number): Promise<ProjectDetail>;
  /** The names of the list in its order. */
  names(query?: string): Promise<string[]>;
  /** A stored image with its file; gives its address. */
  addImage(name: string, options?: { file?: boolean; alt?: string }): Promise<string>;
  token(scopes: string[]): Promise<Record<string, string>>;
}

async function addImage(
  { db, mediaRoot }: { db: Db; mediaRoot: string },
  name: string,
  { file = true, alt = "" }: { file?: boolean; alt?: string } = {},
): Promise<string> {
  const sha256 = sha256Hex(name);
  const src = `/media/2026/${sha256.slice(0, 12)}-${name}.webp`;
  if (file) {
    await mkdir(join(mediaRoot, "media/2026"), { recursive: true });
    await writeFile(join(mediaRoot, src), name);
  }
  await insertMedia(db, {
    kind: "image",
    src,
    originalName: `${name}.png`,
    mime: "image/webp",
    bytes: name.length,
    originalBytes: 1000,
    width: 800,
    height: 600,
    duration: null,
    hasAlpha: false,
    animated: false,
    poster: null,
    placeholder: null,
    variants: [{ src: src.replace(".webp", "-480.webp"), width: 480, bytes: 10 }],
    sha256,
    alt,
    createdAt: isoTime(Date.UTC(2026, 0, 1)),
  });
  return src;
}

/** A listening server with the projects' API over a new database of the maker's. */
export async function startProjectsApp(maker: DatabaseMaker): Promise<ProjectsApp> {
  const folder = await tempFolder();
  const { database } = await maker.make();
  const { db } = database;
  const clock = fakeClock();
  await migrate({ database, now: clock.now() });
  const mediaRoot = join(folder.path, "public");
  await mkdir(mediaRoot);
  const guard = makeAdminGuard({ db, clock, config: { baseUrl: "http://localhost:3000" } });
  const log = createLog({ level: "silent", name: "test" });
  const server = createHttpServer({ log, name: "test", secure: false });
  const reported: string[] = [];
  const projects = makeProjects({
    ownerName: "Mara",
    db,
    clock,
    mediaRoot,
    async onChange(transaction, reason) {
      if (!transaction.isTransaction) throw new Error("this is no transaction");
      await app.onChange?.(transaction);
      reported.push(reason);
    },
  });
  registerProjects(server, { guard, projects });
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  const cookie = await adminCookie(db, clock, guard.cookie.name);
  const ask = makeAsk(`${url}/api/adminprojects`, cookie);

  async function must<T>(path: string, body?: unknown): Promise<T> {
    const response = await ask<T>(path, body);
    if (response.status >= 400) throw new Error(`${path}: ${JSON.stringify(response.error)}`);
    return response.data;
  }

  const app: ProjectsApp = {
    db,
    clock,
    mediaRoot,
    changes: reported,
    url,
    session: { cookie },
    onChange: undefined,
    ask,
    create: (fields = {}) => must("/create", { name: "A project", ...fields }),
    get: (id) => must(`/get?id=${id}`),
    names: async (query = "") =>
      (await must<{ items: { name: string }[] }>(`/list${query}`)).items.map(({ name }) => name),
    addImage: (name, options) => addImage({ db, mediaRoot }, name, options),
    token: async (scopes) => {
      const { token } = await createApiToken({ db, clock, name: scopes.join(), scopes });
      return { authorization: `Bearer ${token}` };
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await folder.remove();
    },
  };
  return app;
}
