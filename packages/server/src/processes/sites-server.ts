import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { answerJobs, type JobRecords } from "../features/sites/job-records.ts";
import type { Site, SiteRegistry, SiteRoute } from "../features/sites/registry.ts";
import { siteStatuses } from "../features/sites/store.ts";
import { toAppError } from "../kit/errors.ts";
import { parseJson } from "../kit/json.ts";
import type { Log } from "../platform/log.ts";

/** What a front is told of a site. */
export interface FoundSite {
  site: SiteRoute | null;
}

/** A line of the stream that a front follows. */
export type SiteEvent =
  /** The first one: what was known before may have changed. */
  | { kind: "hello" }
  /** Sites that have changed, with the domains that they have or had. Null: any may have. */
  | { kind: "changed"; sites: { id: string; domains: string[] }[] | null }
  /** A site's processes end: the next request for them has to wake it. */
  | { kind: "asleep"; id: string };

/** What the process of sites tells the command line. */
export interface AwakeList {
  awake: string[];
}

export interface SitesServerDependencies {
  findRoute(domain: string): Promise<SiteRoute | null>;
  wake(id: string): Promise<string>;
  listAwake(): string[];
  /** The same on all nodes, for the page of sites. */
  listAwakeEverywhere(): Promise<string[]>;
  /** The name of this node, and the jobs of all. */
  node: string;
  jobs: JobRecords;
  /** For the page of sites, which web shows. */
  registry: Pick<SiteRegistry, "get" | "search">;
  log: Log;
}

export interface SitesServer {
  server: Server;
  send(event: SiteEvent): void;
  close(): void;
}

/** A page of sites, or one, with whether they have processes. */
async function readSites(
  { registry, listAwakeEverywhere }: SitesServerDependencies,
  path: string,
  given: URLSearchParams,
): Promise<unknown> {
  const awake = new Set(await listAwakeEverywhere());
  const withState = <T extends Pick<Site, "id">>(site: T) => ({
    ...site,
    isAwake: awake.has(site.id),
  });
  if (path === "/site") return withState(await registry.get(given.get("id") ?? ""));
  const status = siteStatuses.find((one) => one === given.get("status"));
  const q = given.get("q") ?? "";
  const [page, perPage] = [Number(given.get("page")), Number(given.get("perPage"))];
  const { items, total } = await registry.search({ q, page, perPage, status });
  return { items: items.map(withState), total };
}

/** Fronts of one installation: one, and those that take over from it. */
const maxFollowers = 16;

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Answers fronts and commands of this installation, on a Unix socket that only its user can connect to. */
export function makeSitesServer(deps: SitesServerDependencies): SitesServer {
  const followers = new Set<ServerResponse>();

  function follow(response: ServerResponse): void {
    if (followers.size >= maxFollowers) return answer(response, 503, {});
    followers.add(response);
    response.once("close", () => followers.delete(response));
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write(`${JSON.stringify({ kind: "hello" } satisfies SiteEvent)}\n`);
    return undefined;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://sites");
    if (pathname === "/events") return follow(response);
    if (pathname === "/route") {
      const site = await deps.findRoute(searchParams.get("domain") ?? "");
      return answer(response, 200, { site } satisfies FoundSite);
    }
    if (pathname === "/wake" && request.method === "POST") {
      return answer(response, 200, { socket: await deps.wake(searchParams.get("id") ?? "") });
    }
    if (pathname === "/awake") {
      return answer(response, 200, { awake: deps.listAwake() } satisfies AwakeList);
    }
    if (pathname === "/sites" || pathname === "/site") {
      return answer(response, 200, await readSites(deps, pathname, searchParams));
    }
    if (pathname === "/jobs" && request.method === "POST") {
      const action = searchParams.get("action") ?? "";
      const input = parseJson(searchParams.get("input") ?? "null");
      return answer(response, 200, await answerJobs(deps.jobs, deps.node, { action, input }));
    }
    return answer(response, 404, {});
  }

  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 60_000 },
    (request, response) => {
      respond(request, response).catch((error: unknown) => {
        const { code, status, message, headers } = toAppError(error);
        if (status === 500) deps.log.error({ err: error }, "a front's question can't be answered");
        answer(response, status, { code, message, headers });
      });
    },
  );
  return {
    server,
    send(event) {
      for (const follower of followers) follower.write(`${JSON.stringify(event)}\n`);
    },
    close() {
      for (const follower of followers) follower.end();
      server.closeIdleConnections();
    },
  };
}
