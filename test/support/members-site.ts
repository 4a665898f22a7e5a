import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { makeAccountGuard } from "../../packages/server/src/features/accounts/guard.ts";
import { makeUserSessions } from "../../packages/server/src/features/accounts/sessions.ts";
import { insertUser } from "../../packages/server/src/features/accounts/store.ts";
import { makeAdminGuard } from "../../packages/server/src/features/admin-auth/guard.ts";
import { insertMedia } from "../../packages/server/src/features/media/store.ts";
import {
  makeMembersBuilds,
  type MembersBuilds,
} from "../../packages/server/src/features/members/member-builds.ts";
import { makeMembers, type Members } from "../../packages/server/src/features/members/members.ts";
import { findMemberPages } from "../../packages/server/src/features/members/pages.ts";
import { exportRecords } from "../../packages/server/src/features/projects/export.ts";
import { importRecordsFile } from "../../packages/server/src/features/projects/import.ts";
import {
  makeProjects,
  type Projects,
} from "../../packages/server/src/features/projects/projects.ts";
import { registerSite } from "../../packages/server/src/features/release/api.ts";
import { makeSiteBuilder } from "../../packages/server/src/features/release/builder/build.ts";
import { exportSite } from "../../packages/server/src/features/release/export.ts";
import { requestRebuild } from "../../packages/server/src/features/release/rebuild-requests.ts";
import type { Rebuilder } from "../../packages/server/src/features/release/rebuild.ts";
import { openSiteFiles } from "../../packages/server/src/features/release/site/site-files.ts";
import { mediaFolder } from "../../packages/server/src/features/workspace/content-paths.ts";
import { initRepository } from "../../packages/server/src/features/workspace/init.ts";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { createHttpServer } from "../../packages/server/src/platform/http/server.ts";
import { instancePaths } from "../../packages/server/src/platform/paths.ts";
import { adminCookie } from "./admin-session.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { startEmail, type TestEmail } from "./email.ts";
import { copyMigratedDatabase } from "./migrated-database.ts";
import { openInstance, silentLog as log, type TestInstance } from "./publish/publish-instance.ts";
import { sampleRebuilder } from "./publish/rebuilding.ts";
import { tempFolder } from "./temp.ts";
import { testWorkers } from "./workers.ts";
import { copyTemplate } from "./template.ts";

const baseUrl = "https://example.com";
const owner = { name: "Ada", timeZone: "Europe/Stockholm" };

/** A response with its raw bytes. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** An instance with a real build of the template's site, and what it serves to whom. */
export interface MembersSite extends AsyncDisposable {
  instance: TestInstance;
  clock: FakeClock;
  email: TestEmail;
  projects: Projects;
  members: Members;
  rebuilder: Rebuilder;
  builds: MembersBuilds;
  /** The headers of the signed-in owner. */
  owner: Record<string, string>;
  /** Requests a path exactly as it is written. */
  get(path: string, headers?: Record<string, string>, method?: string): Promise<RawAnswer>;
  /** Stores an image or video with a variant or a poster; returns its address. */
  addMedia(name: string, kind?: "image" | "video"): Promise<string>;
  /** The headers of a signed-in member. */
  signIn(email: string, options?: { verified?: boolean }): Promise<Record<string, string>>;
}

function bytesOf(name: string): Buffer {
  return Buffer.from(`bytes of ${name} `.repeat(200));
}

async function addMedia(
  { paths, database }: TestInstance,
  name: string,
  kind: "image" | "video",
): Promise<string> {
  const sha256 = sha256Hex(name);
  const at = (part: string) => `/media/2026/${sha256.slice(0, 12)}-${name}${part}`;
  const src = at(kind === "image" ? ".webp" : ".mp4");
  const poster = kind === "video" ? at("-poster.webp") : null;
  const small = at("-480.webp");
  const variants = kind === "image" ? [{ src: small, width: 480, bytes: 10 }] : [];
  await mkdir(join(paths.content, mediaFolder, "2026"), { recursive: true });
  for (const file of [src, poster, ...variants.map((one) => one.src)]) {
    if (file === null) continue;
    await writeFile(join(paths.content, mediaFolder, "..", file), bytesOf(file));
  }
  await insertMedia(database.db, {
    kind,
    src,
    originalName: name,
    mime: kind === "image" ? "image/webp" : "video/mp4",
    bytes: bytesOf(src).length,
    originalBytes: 1000,
    width: 1600,
    height: 900,
    duration: kind === "video" ? 1 : null,
    hasAlpha: false,
    animated: false,
    poster,
    placeholder: null,
    variants,
    sha256,
    alt: `Alt of ${name}`,
    createdAt: isoTime(0),
  });
  return src;
}

function makeGet(port: number): MembersSite["get"] {
  return (path, headers = {}, method = "GET") => {
    const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
    const outgoing = request({ host: "127.0.0.1", port, path, headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const status = response.statusCode ?? 0;
        resolve({ status, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    outgoing.on("error", reject).end();
    return promise;
  };
}

async function install(dir: string): Promise<TestInstance> {
  const paths = instancePaths(dir);
  await copyTemplate(paths.content);
  await mkdir(paths.data, { recursive: true });
  await copyMigratedDatabase(paths.database);
  const instance = openInstance(dir);
  const author = { name: "Ada", email: "ada@example.com" };
  await initRepository(instance.repository, { author, at: 0, message: "Begin\n" });
  const file = join(paths.content, "database/projects.json");
  await importRecordsFile(instance.database.db, { file, now: 0 });
  return instance;
}

/** The background processes of the site. */
async function startBuilding(instance: TestInstance, clock: FakeClock) {
  const { paths, repository, database } = instance;
  const { db } = database;
  const limits = { ...defaultLimits.build, warm: false, shareImages: 0 };
  const builder = await makeSiteBuilder({ paths, limits, sandbox: "auto", log, clock });
  const site = { baseUrl, owner };
  const mediaDir = join(paths.content, mediaFolder);
  const rebuilder = sampleRebuilder(instance, builder, {
    clock,
    records: (seed) => exportSite(db, site, { seed }),
    exportRecords: () => exportRecords(db),
  });
  const builds = makeMembersBuilds({
    db,
    clock,
    log,
    paths,
    repository,
    builder,
    mediaDir,
    records: (restricted) => exportSite(db, site, { restricted }),
  });
  return { builder, rebuilder, builds };
}

async function startWeb(instance: TestInstance, clock: FakeClock, members: Members) {
  const { db } = instance.database;
  const config = { baseUrl };
  const accounts = makeAccountGuard({ db, clock, config });
  const admin = makeAdminGuard({ db, clock, config });
  const app = createHttpServer({ log, name: "test", secure: true });
  const isOwner = async (incoming: Parameters<typeof admin.findSession>[0]) =>
    (await admin.findSession(incoming)) !== null;
  registerSite(app, {
    ...openSiteFiles(instance.paths),
    log,
    workers: testWorkers,
    decorate: async (incoming, page) =>
      (await isOwner(incoming)) ? `${await page()}<!--console-->` : null,
    findOwnContent: findMemberPages({
      db,
      log,
      paths: instance.paths,
      findUser: (incoming) => accounts.find(incoming),
      isOwner,
      recordVisit: (user, id) => members.recordVisit(user, id),
    }),
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, port, cookies: { account: accounts.cookie.name, admin: admin.cookie.name } };
}

/** Starts the instance; nothing is built yet. */
export async function startMembersSite(): Promise<MembersSite> {
  const folder = await tempFolder();
  const clock = fakeClock();
  const instance = await install(folder.path);
  const { db } = instance.database;
  const testEmail = await startEmail({ db, clock, baseUrl });
  const members = makeMembers({
    db,
    clock,
    outbox: testEmail.outbox,
    siteName: () => owner.name,
    deleteAccount: async () => false,
  });
  const { builder, rebuilder, builds } = await startBuilding(instance, clock);
  const { app, port, cookies } = await startWeb(instance, clock, members);
  const sessions = makeUserSessions({ db, clock });
  return {
    instance,
    clock,
    email: testEmail,
    members,
    rebuilder,
    builds,
    projects: makeProjects({
      ownerName: "Mara",
      db,
      clock,
      mediaRoot: join(instance.paths.content, mediaFolder, ".."),
      onChange: (trx, reason) => requestRebuild(trx, { reason, now: clock.now() }),
    }),
    owner: { cookie: await adminCookie(db, clock, cookies.admin) },
    get: makeGet(port),
    addMedia: (name, kind = "image") => addMedia(instance, name, kind),
    async signIn(email, { verified = true } = {}) {
      const now = isoTime(clock.now());
      const verifiedAt = verified ? now : null;
      const id = await insertUser(db, { email, name: "", passwordHash: null, verifiedAt, now });
      const visitor = { address: "127.0.0.1", userAgent: "" };
      const { cookieValue } = await sessions.start(db, id ?? 0, { method: "password", visitor });
      return { cookie: `${cookies.account}=${cookieValue}` };
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await builds.close();
      await rebuilder.close();
      await builder.close();
      await testEmail[Symbol.asyncDispose]();
      await instance.close();
      await folder.remove();
    },
  };
}
