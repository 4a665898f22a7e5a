import type { PageReport } from "../check.ts";
import type { Offender, Visit } from "./visit.ts";

/** Whether an address is one of the site's own. */
export function isSameOrigin(visit: Visit, url: string): boolean {
  return URL.parse(url)?.origin === new URL(visit.url).origin;
}

/** The path of an own address, other addresses unchanged. */
export function formatUrl(visit: Visit, url: string): string {
  const parsed = URL.parse(url);
  return parsed && isSameOrigin(visit, url) ? parsed.pathname + parsed.search : url;
}

/** Where a browser saw it. */
export function locationOf(
  { locator, selector }: Offender,
  text = "",
): Pick<PageReport, "at" | "shared" | "location"> {
  return { at: locator, shared: true, location: { selector, text } };
}

/** The first of several with the same locator, which are fixed together. */
export function uniqueByLocator<O extends Offender>(offenders: readonly O[]): O[] {
  return [
    ...new Map(offenders.toReversed().map((one) => [one.locator, one])).values(),
  ].toReversed();
}

/** Bytes for people: `1.2 MB`, `340 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes >= 1_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${Math.round(bytes / 1000)} kB`;
}
