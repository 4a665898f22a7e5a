import { createServer, type Server, type ServerOptions } from "node:http";
import { makePreparedResponses } from "../features/release/site/prepared-responses.ts";
import { openSiteFiles } from "../features/release/site/site-files.ts";
import { makeClientOf } from "../platform/http/client-address.ts";
import { limitConnections } from "../platform/http/connection-limit.ts";
import {
  sendMalformedRequestError,
  defaultHeaders,
  ignoreUnknownExpectations,
  reportServerErrors,
  serverTimeouts,
} from "../platform/http/http-defaults.ts";
import { makeHostCheck } from "../platform/http/origin.ts";
import { makePreparedSender } from "../platform/http/prepared-sender.ts";
import { makeProxy } from "../platform/http/proxy.ts";
import {
  closeOnSlowClient,
  defaultSlowClientTimeoutMs,
} from "../platform/http/slow-client-timeout.ts";
import { trackUnreadResponses } from "../platform/http/unread-responses.ts";
import type { InstancePaths } from "../platform/paths.ts";
import type { RotatingFileOptions } from "../platform/rotating-file.ts";
import {
  connectionLostError,
  type FrontDependencies,
  type FrontLogs,
  respond,
  respondWithoutWeb,
  sendFailure,
  unavailableError,
} from "./front-responses.ts";
import { type Answer, openFrontSites } from "./front-sites.ts";
import { isPersonal, isSitePath } from "./site-requests.ts";

/** Settings that the supervisor, which has read the configuration, passes to the front. */
export interface FrontSettings {
  baseUrl: string;
  trustedIps: string[];
  trustProxy: string[];
  logLevel: string;
  paths: Pick<InstancePaths, "current" | "releases">;
  /** The Unix socket that web listens on. */
  webSocket: string;
  /** The folder of further sites, and the Unix socket of the process that knows them. */
  sites: { folder: string; socket: string };
}

/** Settings of the front as a process. */
export interface FrontProcessSettings extends FrontSettings {
  /** Where the log is written; null: stderr. */
  logFile: RotatingFileOptions | null;
}

export interface Front {
  server: Server;
  /** Completes running requests and accepts no more. The caller closes the port. */
  close(): void;
}

/** Makes what the front answers with; requests for the rest go to web by its proxy. */
function frontDependencies(settings: FrontSettings, logs: FrontLogs): FrontDependencies {
  const { baseUrl, paths } = settings;
  const clientOf = makeClientOf(settings);
  const front: FrontDependencies = {
    ...logs,
    ...openSiteFiles(paths),
    headers: defaultHeaders(baseUrl.startsWith("https:")),
    isAllowedHost: makeHostCheck({ names: [new URL(baseUrl).host], anyAddress: true }),
    clientOf,
    addressOf: (request) => clientOf(request).address,
    unread: trackUnreadResponses(),
    proxy: makeProxy({
      socketPath: settings.webSocket,
      sendUnavailable: (request, response) =>
        void respondWithoutWeb(front, unavailableError(), request, response),
      sendConnectionLost: (request, response) =>
        sendFailure(front, connectionLostError(), request, response),
    }),
  };
  return front;
}

const serverOptions: ServerOptions = {
  requestTimeout: 0,
  keepAliveTimeout: serverTimeouts.keepAlive,
  headersTimeout: serverTimeouts.headers,
  connectionsCheckingInterval: serverTimeouts.checkHeadersEvery,
  requireHostHeader: false,
  insecureHTTPParser: false,
};

/**
 * What stands at the port: answers what everybody gets of the current release from memory, and passes all
 * else on to web. While web is away it answers pages to everybody, and lets the rest wait a moment.
 * Requests for the hosts of further sites get those sites in the same way.
 */
export function createFront(settings: FrontSettings, logs: FrontLogs): Front {
  const front = frontDependencies(settings, logs);
  const { log, clientOf, unread } = front;
  const sendPrepared = makePreparedSender({
    find: makePreparedResponses({ ...front, isSitePath, isPersonal }),
    ...front,
  });
  let isClosing = false;
  const answer: Answer = (request, response) => {
    if (sendPrepared(request, response)) return;
    if (!unread.start(request.socket, response)) return;
    closeOnSlowClient(response);
    respond(front, request, response).catch((error: unknown) => {
      log.error({ err: error }, "a request can't be proxied");
      response.destroy();
    });
  };
  const sites = openFrontSites(settings, front, answer);
  const server = createServer(serverOptions, (request, response) => {
    response.on("close", closeIdle);
    if (!sites.answer(request, response)) answer(request, response);
  });
  const closeIdle = () => {
    if (isClosing) server.closeIdleConnections();
  };
  server.timeout = defaultSlowClientTimeoutMs;
  server.on("clientError", sendMalformedRequestError);
  ignoreUnknownExpectations(server);
  reportServerErrors(server, log);
  limitConnections(server, { clientOf, trustProxy: settings.trustProxy });
  return {
    server,
    close() {
      isClosing = true;
      front.proxy.close();
      sites.close();
      server.closeIdleConnections();
    },
  };
}
