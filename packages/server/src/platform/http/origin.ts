import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { AppError } from "../../kit/errors.ts";

type RequestHeaders = { headers: IncomingHttpHeaders };

/** Methods that change nothing (RFC 9110, section 9.2.1), so other sites may cause them. */
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

export function changesState(method: string): boolean {
  return !safeMethods.has(method);
}

/** The host name in a Host header in lowercase, without port and brackets; null if it isn't one. */
export function hostName(host: string | undefined): string | null {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::\d{1,5})?$/.exec(host ?? "");
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, "") ?? null;
}

/** `localhost` and loopback addresses, but not a name that only begins with `127.`. */
export function isLoopbackName(name: string): boolean {
  if (isIP(name) > 0) return name === "::1" || name.startsWith("127.");
  return name === "localhost" || name.endsWith(".localhost");
}

/**
 * Whether a page at `http://<Host>` can only be this server's own: an attacker can point a domain
 * name at this address (DNS rebinding), but not an IP address or localhost.
 */
function isOwnPlainOrigin(origin: string, host: string | undefined): boolean {
  const name = hostName(host);
  if (name === null || !(isIP(name) > 0 || isLoopbackName(name))) return false;
  return origin === `http://${host}`;
}

/**
 * Refuses a request that another site's page caused. A browser sends Origin with every change and
 * Sec-Fetch-Site with every request, and no page can forge either:
 *
 * - Sec-Fetch-Site must be `same-origin` or `none` if it is sent (so `same-site` is refused);
 * - Origin must be one of `allowedOrigins`, or the address of the request if that is an IP address
 *   or localhost; `null` is accepted only together with `same-origin`, which pages with
 *   `no-referrer` send;
 * - without either header, the client isn't a browser (curl, the command line), so there is no
 *   cross-site request.
 * Throws `bad_origin`.
 */
export function assertSameOrigin(request: RequestHeaders, allowedOrigins: readonly string[]): void {
  const { origin, host, "sec-fetch-site": site } = request.headers;
  const siteAllowed = site === undefined || site === "same-origin" || site === "none";
  const originAllowed =
    origin === undefined ||
    (origin === "null" && site === "same-origin") ||
    allowedOrigins.includes(origin) ||
    isOwnPlainOrigin(origin, host);
  if (siteAllowed && originAllowed) return;
  throw new AppError("bad_origin", "This request came from another site and was refused.");
}

/**
 * The check for a request that changes nothing but returns what only the admin may read: other
 * sites may link to it (a plain navigation, as from an email), but not load, frame, or fetch it.
 * Throws `bad_origin`.
 */
export function assertSameOriginRead(
  request: RequestHeaders,
  allowedOrigins: readonly string[],
): void {
  const { origin, "sec-fetch-mode": mode, "sec-fetch-dest": dest } = request.headers;
  if (origin === undefined && mode === "navigate" && dest === "document") return;
  assertSameOrigin(request, allowedOrigins);
}

export interface HostRule {
  names: readonly string[];
  /** Also any literal IP address, which can't be rebound. */
  anyAddress: boolean;
}

/**
 * Whether a request is for one of the named hosts or a loopback name, so that a foreign DNS name
 * pointed at this address (DNS rebinding) can't read anything.
 */
export function makeHostCheck(rule: HostRule): (request: RequestHeaders) => boolean {
  const names = new Set(rule.names.flatMap((name) => hostName(name) ?? []));
  const isAllowed = (host: string | undefined) => {
    const name = hostName(host);
    if (name === null) return false;
    return names.has(name) || isLoopbackName(name) || (rule.anyAddress && isIP(name) > 0);
  };
  /** The last Host that was allowed: nearly every request has the same one. */
  let allowed: string | undefined;
  return ({ headers: { host } }) => {
    if (host !== undefined && host === allowed) return true;
    if (!isAllowed(host)) return false;
    allowed = host;
    return true;
  };
}

/** A hook that accepts only the hosts of `rule`. Throws `forbidden`. */
export function allowedHosts(rule: HostRule) {
  const isAllowed = makeHostCheck(rule);
  return async (request: RequestHeaders): Promise<void> => {
    if (isAllowed(request)) return;
    throw new AppError("forbidden", "This server doesn't answer to that host name.");
  };
}
