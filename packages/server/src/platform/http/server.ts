import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { AppError } from "../../kit/errors.ts";
import { type AccessLog, accessLogOf } from "../access-log.ts";
import { type Log, redactText } from "../log.ts";
import { sendError } from "./error-responses.ts";
import { type BodyTimeout, enforceBodyTimeout, defaultBodyTimeout } from "./body-timeout.ts";
import {
  sendMalformedRequestError,
  defaultHeaders,
  ignoreUnknownExpectations,
  reportServerErrors,
  serverTimeouts,
} from "./http-defaults.ts";
import { makeJsonParser } from "./json-body.ts";
import { makeMethodTable } from "./methods.ts";
import { enforceStrictSchemas } from "./strict-schemas.ts";
import { enforceSlowClientTimeout, defaultSlowClientTimeoutMs } from "./slow-client-timeout.ts";
import {
  limitUnreadResponses,
  trackUnreadResponses,
  type UnreadResponses,
} from "./unread-responses.ts";
import { compileSerializer, compileValidator } from "./validation.ts";

export type AppServer = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

export interface HttpServerOptions {
  log: Log;
  name: string;
  /** Proxies, by CIDR, whose forwarding headers count. */
  trustProxy?: string[];
  /** Whether the site is reached over https. */
  secure: boolean;
  /** The largest JSON body, in bytes; 256 KiB unless told. */
  maxBodyBytes?: number;
  /** How long a body may take; 30 s unless told. */
  bodyTimeout?: BodyTimeout;
  /** How long the headers may take, and how often it is looked, in ms; 15 s and 2 s unless told. */
  headersTimeout?: { timeoutMs: number; checkIntervalMs: number };
  /** For how long a client may take nothing of its answer, in ms; three minutes unless told. */
  slowClientTimeoutMs?: number;
  /** What counts the answers that wait for clients that don't read; one of its own unless told. */
  unread?: UnreadResponses;
  /** Where answered requests are logged; in `log` unless told. */
  accessLog?: AccessLog;
  /** Gives the address that a request's is taken for; itself unless told. */
  rewriteUrl?: (url: string) => string;
}

function addRequestLog(app: AppServer, accessLog: AccessLog): void {
  app.addHook("onResponse", (request, reply, done) => {
    // A route may have a level of its own.
    const { isLevelEnabled } = request.log as Partial<Log>;
    if (isLevelEnabled?.call(request.log, "info") !== false) {
      accessLog({
        reqId: request.id,
        method: request.method,
        pathJson: JSON.stringify(redactText(request.url.split("?", 1)[0] ?? "")),
        status: reply.statusCode,
        ms: reply.elapsedTime,
        ip: request.ip,
      });
    }
    done();
  });
}

/** Has `respond` look at every request of a server first; what it takes gets to nobody else. */
export function respondFirst(
  server: Server,
  respond: (request: IncomingMessage, response: ServerResponse) => boolean,
): void {
  const others = server.listeners("request");
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (respond(request, response)) return;
    for (const listener of others) listener.call(server, request, response);
  });
}

/** While the server closes, whoever is answered keeps no connection: it would hold the end up. */
function closeIdleConnectionsOnShutdown(app: AppServer): void {
  let closing = false;
  app.addHook("preClose", (done) => {
    closing = true;
    done();
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (closing) reply.header("connection", "close");
    done(null, payload);
  });
}

/** Whatever no route takes: 405 with Allow where another method would do, else 404. */
function addFallback(app: AppServer): void {
  const methods = makeMethodTable();
  app.addHook("onRoute", (route) => methods.add(route.url, route.method));
  app.setNotFoundHandler((request) => {
    const allowed = methods.allowed(request.url.split("?", 1)[0] ?? "");
    if (allowed.length === 0 || allowed.includes(request.method)) {
      throw new AppError("not_found", "There is nothing at this address.");
    }
    throw new AppError("method_not_allowed", `This address doesn't accept ${request.method}.`, {
      headers: { allow: allowed.join(", ") },
    });
  });
}

/**
 * A Fastify server with what every process of ours shares: zod schemas both ways, the envelope for
 * every error, JSON bodies only, security headers, request ids and a redacted request log, bounded
 * time for slow clients. Routes, listening and closing are the caller's.
 */
export function createHttpServer(options: HttpServerOptions): AppServer {
  const {
    rewriteUrl = (url: string) => url,
    headersTimeout = {
      timeoutMs: serverTimeouts.headers,
      checkIntervalMs: serverTimeouts.checkHeadersEvery,
    },
  } = options;
  const { maxBodyBytes = 256 * 1024 } = options;
  const headers = defaultHeaders(options.secure);
  const app: AppServer = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    trustProxy: options.trustProxy?.length ? options.trustProxy : false,
    bodyLimit: maxBodyBytes,
    // A bound of its own for each route: see boundBodyTime.
    requestTimeout: 0,
    // A connection with nothing on it goes by the bounds of Node; one with an answer by boundTakingTime.
    connectionTimeout: options.slowClientTimeoutMs ?? defaultSlowClientTimeoutMs,
    keepAliveTimeout: serverTimeouts.keepAlive,
    return503OnClosing: false,
    // Without a Host Node answers by itself, bare; the routes' own check of the host has the words.
    http: {
      headersTimeout: headersTimeout.timeoutMs,
      connectionsCheckingInterval: headersTimeout.checkIntervalMs,
      requireHostHeader: false,
    },
    rewriteUrl: ({ url = "/" }: IncomingMessage) => rewriteUrl(url),
    routerOptions: { maxParamLength: 256 },
    clientErrorHandler: sendMalformedRequestError,
    // An address that can't be decoded passes no hook.
    frameworkErrors: (error, request, reply) => {
      reply.headers(headers);
      sendError(error, request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();
  ignoreUnknownExpectations(app.server);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  app.removeContentTypeParser("text/plain");
  const json = makeJsonParser(app.getDefaultJsonParser("error", "error"));
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "string" }, json);
  app.addHook("onRequest", enforceBodyTimeout(options.bodyTimeout ?? defaultBodyTimeout));
  app.addHook("onRequest", enforceSlowClientTimeout);
  limitUnreadResponses(app, options.unread ?? trackUnreadResponses());
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers).header("x-request-id", request.id);
    // A lenient parser takes a tab for the end of the type; a browser then skips its preflight.
    const isMalformed = request.headers["content-type"]?.includes("\t") === true;
    if (isMalformed) done(new AppError("unsupported_media_type", "The Content-Type is malformed."));
    else done();
  });
  app.setErrorHandler(sendError);
  closeIdleConnectionsOnShutdown(app);
  reportServerErrors(app.server, options.log);
  addRequestLog(app, options.accessLog ?? accessLogOf(options.log));
  addFallback(app);
  enforceStrictSchemas(app, { maxBytes: maxBodyBytes });
  return app;
}
