import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { LRUCache } from "lru-cache";
import { AppError } from "../kit/errors.ts";
import { hostName } from "../platform/http/origin.ts";
import type { FoundRoute, SitesClient } from "./sites-client.ts";
import type { SiteEvent } from "./sites-server.ts";

export interface SiteRoutesDependencies {
  /** The folder of further sites: while it is missing, there are none. */
  folder: string;
  /** The host name of the installation's own site. */
  ownHost: string;
  client: Pick<SitesClient, "findRoute" | "follow">;
  /** Called after what is known of sites was forgotten; null: of all. */
  onChanged(ids: string[] | null): void;
  onAsleep(id: string): void;
}

/** Which site a host belongs to, as far as it is known here. */
export interface SiteRoutes {
  /** The host as a domain that may be a further site's; null if it is the installation's own. */
  domainOf(host: string | undefined): string | null;
  /** What is known of a domain: null for none of a site, undefined if it has to be looked up. */
  peek(domain: string): FoundRoute | null | undefined;
  /** Looks a domain up. Throws `unavailable` if that can't be done now. */
  find(domain: string): Promise<FoundRoute | null>;
}

/** How many domains are remembered, and how many of those that belong to no site. */
const maxKnown = 20_000;
const maxUnknown = 2000;
/** How many domains are looked up at once. */
const maxLookups = 256;
/** How often to look whether there are sites at all, in ms. */
const recheckMs = 1000;

/**
 * Remembers the sites of domains until they change. Hosts that somebody makes up can't displace those
 * of sites.
 */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function makeSiteRoutes(deps: SiteRoutesDependencies): SiteRoutes {
  const { folder, ownHost, client } = deps;
  const known = new LRUCache<string, FoundRoute>({ maxSize: maxKnown, sizeCalculation: () => 1 });
  const unknown = new LRUCache<string, true>({ max: maxUnknown });
  const lookups = new Map<string, Promise<FoundRoute | null>>();
  /** Counts what was forgotten: an answer from before isn't remembered. */
  let generation = 0;
  let isOn = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  /** The last host that is the installation's own: nearly every request of one without sites has it. */
  let lastOwn: string | undefined;

  function onEvent(event: SiteEvent): void {
    if (event.kind === "asleep") return deps.onAsleep(event.id);
    generation += 1;
    const sites = event.kind === "changed" ? event.sites : null;
    if (sites === null) {
      known.clear();
      unknown.clear();
    }
    for (const domain of sites?.flatMap(({ domains }) => domains) ?? []) {
      known.delete(domain);
      unknown.delete(domain);
    }
    return deps.onChanged(sites?.map(({ id }) => id) ?? null);
  }

  /** Whether the installation has a folder for further sites; from then on, they are asked for. */
  function hasSites(): boolean {
    if (isOn || performance.now() - checkedAt < recheckMs) return isOn;
    checkedAt = performance.now();
    isOn = existsSync(folder);
    if (isOn) client.follow(onEvent);
    return isOn;
  }

  async function lookUp(domain: string): Promise<FoundRoute | null> {
    const began = generation;
    const found = await client.findRoute(domain);
    // One that is being created isn't there yet.
    const route = found?.status === "creating" ? null : found;
    if (began !== generation) return route;
    if (route === null) unknown.set(domain, true);
    else known.set(domain, route);
    return route;
  }

  return {
    domainOf(host) {
      if (host === undefined || host === lastOwn) return null;
      const name = hostName(host);
      if (name !== null && name !== ownHost && name !== "localhost" && isIP(name) === 0)
        return name;
      lastOwn = host;
      return null;
    },
    peek(domain) {
      const route = known.get(domain);
      if (route !== undefined) return route;
      return unknown.get(domain) || !hasSites() ? null : undefined;
    },
    find(domain) {
      const running = lookups.get(domain);
      if (running !== undefined) return running;
      if (lookups.size >= maxLookups) {
        const headers = { "retry-after": "2" };
        const message = "The server is busy. Try again in a moment.";
        return Promise.reject(new AppError("unavailable", message, { headers }));
      }
      const lookup = lookUp(domain).finally(() => lookups.delete(domain));
      lookups.set(domain, lookup);
      return lookup;
    },
  };
}
