import { mapConcurrently } from "../kit/concurrency.ts";
import { newUlid } from "../kit/ulid.ts";
import { readEnvelope } from "./envelope.ts";
import type { ProbeFetcher, GateProbe } from "./probes.ts";

const refused = 401;
/** Another spelling of a protected path that isn't an address. */
const nothing = 404;

/** Addresses for the owner only, by docs/architecture.md. They are only ever read. */
function protectedPaths(run: string): [path: string, expected: number][] {
  return [
    ["/devconsole", refused],
    ["/devconsole/ping", refused],
    ["/devconsole/runs", refused],
    ["/_preview/", refused],
    [`/_preview/${run}/`, refused],
    ["/api/adminauth/me", refused],
    ["/api/admin/ping", refused],
    ["/api/adminprojects/list", refused],
    ["/api/admintasks/list", refused],
    ["/api/adminqa/overview", refused],
    ["/DEVCONSOLE/ping", nothing],
    ["/%64evconsole/ping", nothing],
  ];
}

/** Whether a protected address is open, and not just like any other address. */
export function isOpen({ response, likeAnything }: GateProbe): boolean {
  return opens(response.status) && !likeAnything;
}

const opens = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

async function probe(
  fetcher: ProbeFetcher,
  origin: string,
  [path, expected]: [string, number],
): Promise<GateProbe> {
  const ask = (at: string) =>
    fetcher.own(new URL(at, origin).href, { cookies: false, follow: false, maxBytes: 64 * 1024 });
  const { answer: response, body } = await ask(path);
  const gate = { path, expected, response, likeAnything: false };
  if (!opens(response.status)) return gate;
  // A success envelope proves it; a page may be what the site returns for every address.
  if (readEnvelope(body?.toString("utf8") ?? "").ok === true) return gate;
  const other = await ask(`/${newUlid(0).toLowerCase()}/`);
  return { ...gate, likeAnything: opens(other.answer.status) };
}

/** Requests protected addresses without a session. `now` in ms. */
export function probeGates(
  fetcher: ProbeFetcher,
  origin: string,
  now: number,
): Promise<GateProbe[]> {
  return mapConcurrently(protectedPaths(newUlid(now)), 4, (path) => probe(fetcher, origin, path));
}

/** Requests the addresses of private previews without a session. */
export function probePreviews(
  fetcher: ProbeFetcher,
  origin: string,
  previews: readonly string[],
): Promise<GateProbe[]> {
  return mapConcurrently(previews.slice(0, 20), 4, (address) => {
    const { pathname, search } = new URL(address, origin);
    return probe(fetcher, origin, [pathname + search, refused]);
  });
}
