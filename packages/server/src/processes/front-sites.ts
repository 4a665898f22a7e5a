import type { IncomingMessage, ServerResponse } from "node:http";
import { LRUCache } from "lru-cache";
import { join } from "node:path";
import { makeLiveReleases, type ServedReleases } from "../features/release/site/live-release.ts";
import { makePreparedResponses } from "../features/release/site/prepared-responses.ts";
import { AppError, toAppError } from "../kit/errors.ts";
import { defaultHeaders } from "../platform/http/http-defaults.ts";
import { makePreparedSender, type SendPrepared } from "../platform/http/prepared-sender.ts";
import { closeOnSlowClient } from "../platform/http/slow-client-timeout.ts";
import { instancePaths } from "../platform/paths.ts";
import {
  connectionLostError,
  type FrontDependencies,
  respond,
  respondWithoutWeb,
  sendFailure,
  sendRedirect,
} from "./front-responses.ts";
import { isPersonal, isSitePath } from "./site-requests.ts";
import { makeSiteRoutes } from "./site-routes.ts";
import { type FoundRoute, makeSitesClient } from "./sites-client.ts";
import { makeTlsAnswer } from "./tls-question.ts";
import { makeWakingProxy, type WakingProxy } from "./waking-proxy.ts";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface FrontSitesSettings {
  baseUrl: string;
  trustProxy: readonly string[];
  sites: { folder: string; socket: string };
}

/** The further sites as the front serves them. */
export interface FrontSites {
  /** Answers a request for a further site; false if it is for the installation's own, or for none. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  close(): void;
}

/** One site, as far as it is kept in memory. */
interface KeptSite {
  mainHost: string;
  front: FrontDependencies;
  proxy: WakingProxy;
  sendPrepared: SendPrepared;
}

/**
 * How many files of releases are known, of all further sites together: about 3 KB each with what is
 * prepared for it. Whoever was used least recently is read again when somebody asks for it.
 */
const maxKnownFiles = 20_000;

/** Calls `onLoaded` with the number of a release's files when another one has been read. */
function observeReleases(
  releases: ServedReleases,
  onLoaded: (files: number) => void,
): ServedReleases {
  let seen: unknown;
  return {
    peek: () => releases.peek(),
    async current() {
      const release = await releases.current();
      if (release !== undefined && release !== seen) {
        seen = release;
        onLoaded(release.files.size);
      }
      return release;
    },
  };
}

function suspendedError(): AppError {
  return new AppError("unavailable", "This site isn't available at the moment.");
}

/** Serves further sites beside the installation's own, of whose front they share memory and limits. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function openFrontSites(
  settings: FrontSitesSettings,
  own: FrontDependencies,
  answerOwn: Answer,
): FrontSites {
  const { folder, socket } = settings.sites;
  const ownHost = new URL(settings.baseUrl).hostname;
  const client = makeSitesClient(socket);
  const kept = new LRUCache<string, KeptSite>({ maxSize: maxKnownFiles });
  const routes = makeSiteRoutes({
    folder,
    ownHost,
    client,
    onChanged(ids) {
      for (const id of ids ?? kept.keys()) kept.delete(id);
    },
    onAsleep: (id) => kept.peek(id)?.proxy.forget(),
  });
  const answerTls = makeTlsAnswer({ routes, ownHost, trustProxy: settings.trustProxy });

  function open({ id, baseUrl }: FoundRoute): KeptSite {
    const proxy = makeWakingProxy({
      wake: () => client.wake(id),
      sendUnavailable: (request, response, error) =>
        void respondWithoutWeb(front, error, request, response),
      sendConnectionLost: (request, response) =>
        sendFailure(front, connectionLostError(), request, response),
    });
    const releases = makeLiveReleases(instancePaths(join(folder, id)));
    const front: FrontDependencies = {
      ...own,
      releases: observeReleases(releases, (files) => {
        if (kept.peek(id) === site) kept.set(id, site, { size: files + 1 });
      }),
      headers: defaultHeaders(baseUrl.startsWith("https:")),
      isAllowedHost: () => true,
      accessLog: (answered) => own.accessLog({ ...answered, site: id }),
      proxy,
    };
    const prepared = makePreparedResponses({ ...front, isSitePath, isPersonal });
    const sendPrepared = makePreparedSender({ ...front, find: prepared });
    const site = { mainHost: new URL(baseUrl).hostname, front, proxy, sendPrepared };
    kept.set(id, site, { size: 1 });
    return site;
  }

  function serve(
    route: FoundRoute,
    domain: string,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    const { mainHost, front, sendPrepared } = kept.get(route.id) ?? open(route);
    const isMain = mainHost === domain;
    const isServed = isMain && route.status === "active";
    if (isServed && sendPrepared(request, response)) return;
    if (!front.unread.start(request.socket, response)) return;
    closeOnSlowClient(response);
    if (route.status !== "active") sendFailure(front, suspendedError(), request, response);
    else if (!isMain) sendRedirect(front, route.baseUrl, request, response);
    else {
      respond(front, request, response).catch((error: unknown) => {
        front.log.error({ err: error, site: route.id }, "a request can't be proxied");
        response.destroy();
      });
    }
  }

  async function find(domain: string, request: IncomingMessage, response: ServerResponse) {
    let route: FoundRoute | null;
    try {
      route = await routes.find(domain);
    } catch (error) {
      if (!response.destroyed) sendFailure(own, toAppError(error), request, response);
      return;
    }
    if (response.destroyed) return;
    if (route === null) answerOwn(request, response);
    else serve(route, domain, request, response);
  }

  return {
    answer(request, response) {
      const domain = routes.domainOf(request.headers.host);
      if (domain === null) return answerTls(request, response);
      const route = routes.peek(domain);
      if (route === null) return false;
      if (route === undefined) void find(domain, request, response);
      else serve(route, domain, request, response);
      return true;
    },
    close() {
      for (const site of kept.values()) site.proxy.close();
      client.close();
    },
  };
}
