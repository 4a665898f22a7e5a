import type { CachedExternal, Occurrence } from "../engine/job.ts";
import type { CrawlResponse, Reference } from "./crawl.ts";

const day = 24 * 60 * 60 * 1000;
/** Two looks at the same outage are one. */
const apart = 10 * 60 * 1000;
const maxReferrers = 50;

/** Whether an address of others is to be asked in this run. */
export function isDue(known: CachedExternal | undefined, now: number): boolean {
  if (!known) return true;
  if (known.notBefore !== null && Date.parse(known.notBefore) > now) return false;
  const age = now - Date.parse(known.checkedAt);
  return age >= day || known.notBefore !== null || (known.verdict === "broken" && age >= apart);
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** What is known after an answer. Silence of the network counts neither way. */
export function updateStatus(
  before: CachedExternal | undefined,
  response: CrawlResponse,
  now: number,
  from: readonly Occurrence[],
): CachedExternal {
  const { url, status, verdict } = response;
  const code = response.failure?.code ?? null;
  const isBad = verdict === "broken";
  const isOk = verdict === "ok";
  const counts = isBad && (!before?.firstBadAt || now - Date.parse(before.checkedAt) >= apart);
  const badRuns = isOk ? 0 : (before?.badRuns ?? 0) + (counts ? 1 : 0);
  // What may not be asked yet was not asked: the time of the last look stays.
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

export function occurrencesOf(references: readonly Reference[]): Occurrence[] {
  return references
    .slice(0, maxReferrers)
    .map(({ page, selector, line, text }) => ({ page, selector, line, text }));
}

/** Of an unchanged site: the places of the known addresses of others, as references. */
export function referencesFrom(known: readonly CachedExternal[]): Reference[] {
  return known.flatMap(({ url, from }) =>
    from.map((place) => ({ kind: "link" as const, url, raw: url, ...place })),
  );
}

const unreached = new Set<string | undefined>(["dns", "connect"]);

/**
 * Whether it may well be our own network: not one of the hosts that were asked could be reached. A
 * single one tells no more; it is asked again together with others.
 */
export function isOutage(responses: readonly CrawlResponse[]): boolean {
  const tried = responses.filter(({ failure }) => failure?.phase !== "refused");
  const isSilent = ({ status, failure }: CrawlResponse) =>
    // Who refuses a connection was reached.
    status === null && unreached.has(failure?.phase) && failure?.code !== "ECONNREFUSED";
  return tried.length > 0 && tried.every(isSilent);
}
