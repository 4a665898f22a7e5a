import type { CachedExternal, ExternalOccurrence } from "../engine/job.ts";
import type { CrawlResponse, Reference } from "./crawl.ts";

const day = 24 * 60 * 60 * 1000;
/** Two requests during the same outage count as one. */
const apart = 10 * 60 * 1000;
const maxReferrers = 50;

/** Whether an external address is to be requested in this run. */
export function isDue(known: CachedExternal | undefined, now: number): boolean {
  if (!known) return true;
  if (known.notBefore !== null && Date.parse(known.notBefore) > now) return false;
  const age = now - Date.parse(known.checkedAt);
  return age >= day || known.notBefore !== null || (known.verdict === "broken" && age >= apart);
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** The new state after a response. A network failure doesn't change it. */
export function updateStatus(
  before: CachedExternal | undefined,
  response: CrawlResponse,
  now: number,
  from: readonly ExternalOccurrence[],
): CachedExternal {
  const { url, status, verdict } = response;
  const code = response.failure?.code ?? null;
  const isBad = verdict === "broken";
  const isOk = verdict === "ok";
  const counts = isBad && (!before?.firstBadAt || now - Date.parse(before.checkedAt) >= apart);
  const badRuns = isOk ? 0 : (before?.badRuns ?? 0) + (counts ? 1 : 0);
  // What may not be requested yet wasn't requested: the time of the last check stays.
  const wasAsked = code !== "PAUSED" || !before;
  return {
    url,
    status,
    verdict,
    code,
    checkedAt: wasAsked ? iso(now) : before.checkedAt,
    lastOkAt: isOk ? iso(now) : (before?.lastOkAt ?? null),
    firstBadAt: isOk ? null : (before?.firstBadAt ?? (isBad ? iso(now) : null)),
    badRuns,
    notBefore:
      response.retryAfterMs === null ? null : iso(now + Math.min(response.retryAfterMs, day)),
    finalUrl: response.finalUrl === url ? null : response.finalUrl,
    from,
  };
}

/** The places to keep of an external address: one for each fragment comes first. */
export function occurrencesOf(references: readonly Reference[]): ExternalOccurrence[] {
  const fragments = new Set<string>();
  const isFirst = ({ url }: Reference) => {
    const fragment = url.includes("#") ? url.slice(url.indexOf("#")) : "";
    if (fragments.has(fragment)) return false;
    fragments.add(fragment);
    return true;
  };
  const { first = [], other = [] } = Object.groupBy(references, (reference) =>
    isFirst(reference) ? "first" : "other",
  );
  return [...first, ...other].slice(0, maxReferrers).map(({ url, page, selector, line, text }) => {
    const place: ExternalOccurrence = { page, selector, line, text };
    if (url.includes("#")) place.fragment = url.slice(url.indexOf("#"));
    return place;
  });
}

/** For an unchanged site: the places of the known external addresses, as references. */
export function referencesFrom(known: readonly CachedExternal[]): Reference[] {
  return known.flatMap(({ url, from }) =>
    from.map(({ fragment = "", ...place }) => {
      const whole = url + fragment;
      return { kind: "link" as const, url: whole, raw: whole, ...place };
    }),
  );
}

const unreached = new Set<string | undefined>(["dns", "connect"]);
/** A host that refuses a connection was reached, and so was a name server that denies a name. */
const reached = new Set<string | undefined>(["ECONNREFUSED", "ENOTFOUND", "ENODATA"]);

/**
 * Whether our own network is probably down: none of the requested hosts could be reached. A single
 * host isn't enough to tell; it is requested again together with others.
 */
export function isOutage(responses: readonly CrawlResponse[]): boolean {
  const tried = responses.filter(({ failure }) => failure?.phase !== "refused");
  const isSilent = ({ status, failure }: CrawlResponse) =>
    status === null && unreached.has(failure?.phase) && !reached.has(failure?.code);
  return tried.length > 0 && tried.every(isSilent);
}
