import { join } from "node:path";
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Db } from "../../platform/db/connect.ts";
import type { Log } from "../../platform/log.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import type { User } from "../accounts/account.ts";
import { filesOfProjects } from "../projects/media-files.ts";
import { listRestricted } from "../projects/store.ts";
import { type LiveRelease, readRelease } from "../release/site/live-release.ts";
import type { FindOwnContent, OwnContent } from "../release/site/own-content.ts";
import { type Access, type OpenBuild, type Viewer, readAccess } from "./access.ts";

export interface MemberPagesDependencies {
  db: Db;
  log: Log;
  paths: Pick<InstancePaths, "artifacts">;
  /** Has a build on this node that another one has made; none if there is one node. */
  fetchArtifact?: ((sha: string) => Promise<void>) | undefined;
  /** The signed-in user; queries nothing for a request without the cookie. */
  findUser(request: FastifyRequest): Promise<{ user: User } | null>;
  /** Whether the request is from the site's owner; queries nothing without the cookie. */
  isOwner(request: FastifyRequest): Promise<boolean>;
  recordVisit(user: User, projectId: number): Promise<void>;
}

/** Where restricted content can be: pages, stored files, and generated assets. */
const restrictedPaths = /^\/(projects|media|_astro)\//;

const projectPage = /^\/projects\/([^/]+)\//;
/** Lists of projects, which a page can link to. */
const listPage = /^\/projects\/category\//;

/** The canonical address of a page. */
function pageAddress(path: string): string {
  if (path.endsWith("/")) return path;
  return path.endsWith("/index.html") ? path.slice(0, -"index.html".length) : `${path}/`;
}

/** The ID of the project that a page belongs to, if the user may see it. */
function projectOf({ pages }: OpenBuild, address: string): number | null {
  return pages.get(projectPage.exec(address)?.[1] ?? "") ?? null;
}

/** Reads the requested artifacts, each once. */
function makeReader({ paths, fetchArtifact }: MemberPagesDependencies) {
  const sites = new LRUCache<string, LiveRelease>({ max: 50 });
  return async (sha: string): Promise<LiveRelease> => {
    const known = sites.get(sha);
    if (known !== undefined) return known;
    await fetchArtifact?.(sha);
    const site = await readRelease(join(paths.artifacts, sha));
    sites.set(sha, site);
    return site;
  };
}

type Reader = ReturnType<typeof makeReader>;

/** A page below /projects/, or where it has moved. */
async function findPage(
  { builds }: Access,
  read: Reader,
  path: string,
): Promise<{ answer: OwnContent; projectId: number | null } | null> {
  const address = pageAddress(path);
  for (const build of builds) {
    const site = await read(build.artifact);
    const moved = site.redirects.get(address);
    if (moved !== undefined) {
      if (projectOf(build, moved) === null) continue;
      return { answer: { to: moved }, projectId: null };
    }
    const projectId = projectOf(build, address);
    if (projectId === null && !listPage.test(address)) continue;
    const file = site.files.get(path);
    if (file !== undefined && !(file.page && path !== address)) {
      const isOpening = path === `/projects/${projectPage.exec(path)?.[1]}/`;
      return { answer: { file }, projectId: isOpening ? projectId : null };
    }
    if (site.files.has(address)) return { answer: { to: address }, projectId: null };
  }
  return null;
}

/** A file in some build; of stored files, only those shown by a project that the user may see. */
async function findFile(
  { db }: MemberPagesDependencies,
  access: Access,
  read: Reader,
  path: string,
): Promise<OwnContent | null> {
  if (path.startsWith("/media/")) {
    const ids = new Set(access.builds.flatMap(({ pages }) => Array.from(pages.values())));
    const seen = (await listRestricted(db)).filter(({ id }) => ids.has(id));
    if (!(await filesOfProjects(db, seen)).has(path)) return null;
  }
  for (const { artifact } of access.builds) {
    const file = (await read(artifact)).files.get(path);
    if (file !== undefined) return { file };
  }
  return null;
}

/** Whether a person opens a page with this request, rather than a program prefetching it. */
function opensPage({ method, headers }: FastifyRequest): boolean {
  const purpose = `${headers["sec-purpose"] ?? ""} ${headers["purpose"] ?? ""} ${headers["x-moz"] ?? ""}`;
  return method === "GET" && !purpose.toLowerCase().includes("prefetch");
}

/**
 * Finds restricted content for the site: pages, files, and assets of the builds that the user may
 * see now, according to the database. It does the same queries for every address, so that nothing
 * reveals what exists.
 */
export function findMemberPages(pages: MemberPagesDependencies): FindOwnContent {
  const { db, log, findUser, isOwner } = pages;
  const read = makeReader(pages);

  async function personOf(request: FastifyRequest): Promise<Viewer | null> {
    if (await isOwner(request)) return { kind: "owner" };
    const found = await findUser(request);
    return found && { kind: "user", user: found.user };
  }

  async function find(request: FastifyRequest, path: string): Promise<OwnContent | null> {
    const viewer = await personOf(request);
    if (viewer === null) return null;
    const access = await readAccess(db, viewer);
    if (!path.startsWith("/projects/")) return findFile(pages, access, read, path);
    const found = await findPage(access, read, path);
    if (found === null) return null;
    const { answer: response, projectId } = found;
    if (viewer.kind === "owner" || projectId === null || "to" in response) return response;
    if (!opensPage(request)) return response;
    const note = () => pages.recordVisit(viewer.user, projectId);
    const failed = (err: unknown) => log.error({ err }, "a visit couldn't be recorded");
    return { ...response, opened: () => note().catch(failed) };
  }

  return async (request, path) => {
    if (!restrictedPaths.test(path)) return null;
    try {
      return await find(request, path);
    } catch (error) {
      // Nobody is let in by this, and the response is the one for what doesn't exist.
      log.error({ err: error }, "members' pages can't be looked up");
      return null;
    }
  };
}
