import type { IncomingMessage, ServerResponse } from "node:http";
import { normalizeDomain } from "../features/sites/domain.ts";
import { forwardingHeaders, inNetworks, parseNetworks } from "../platform/http/client-address.ts";
import type { SiteRoutes } from "./site-routes.ts";

/** Where Caddy asks before it obtains a certificate (`on_demand_tls`, `ask`). */
export const tlsQuestionPath = "/api/tls-allowed";

export interface TlsQuestionDependencies {
  routes: Pick<SiteRoutes, "peek" | "find">;
  ownHost: string;
  trustProxy: readonly string[];
  /** How many domains are looked up in a second that aren't known; defaults to 50. */
  maxLookupsPerSecond?: number;
  now?(): number;
}

/** Answers such a question; false if the request isn't one, and then nothing has happened. */
export type AnswerTlsQuestion = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Whether this machine or a proxy asks for itself, and not for a visitor. */
function makeSenderCheck(trustProxy: readonly string[]) {
  const networks = parseNetworks(["127.0.0.0/8", "::1", ...trustProxy], "trustProxy");
  return ({ headers, socket }: IncomingMessage) =>
    forwardingHeaders.every((name) => headers[name] === undefined) &&
    inNetworks(socket.remoteAddress ?? "", networks);
}

/** At most so many in each second. */
function makeRate(perSecond: number, now: () => number): () => boolean {
  let second = Number.NEGATIVE_INFINITY;
  let used = 0;
  return () => {
    if (now() - second >= 1000) {
      second = now();
      used = 0;
    }
    used += 1;
    return used <= perSecond;
  };
}

/**
 * Tells a server in front which domains may get certificates: 200 for the installation's own host and
 * for domains of active sites, 404 for others, 429 where too many unknown ones are asked for. Others
 * get what the site has at this address.
 */
export function makeTlsAnswer(deps: TlsQuestionDependencies): AnswerTlsQuestion {
  const { routes, ownHost, now = () => performance.now() } = deps;
  const isAllowedSender = makeSenderCheck(deps.trustProxy);
  const mayLookUp = makeRate(deps.maxLookupsPerSecond ?? 50, now);

  async function statusOf(url: string): Promise<number> {
    let domain: string;
    try {
      domain = normalizeDomain(new URL(url, "http://own").searchParams.get("domain") ?? "");
    } catch {
      return 404;
    }
    if (domain === ownHost) return 200;
    let route = routes.peek(domain);
    if (route === undefined) {
      if (!mayLookUp()) return 429;
      route = await routes.find(domain).catch(() => undefined);
    }
    if (route === undefined) return 503;
    return route?.status === "active" ? 200 : 404;
  }

  async function answer(url: string, response: ServerResponse): Promise<void> {
    const headers = { "content-length": "0", "cache-control": "no-store" };
    response.writeHead(await statusOf(url), headers).end();
  }

  return (request, response) => {
    const { method, url = "" } = request;
    if (method !== "GET" || !url.startsWith(tlsQuestionPath)) return false;
    if (url.split("?", 1)[0] !== tlsQuestionPath || !isAllowedSender(request)) return false;
    void answer(url, response);
    return true;
  };
}
