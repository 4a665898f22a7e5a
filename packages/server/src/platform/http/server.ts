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
import { RequestLog } from "./request-log.ts";
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
  /** CIDR ranges of proxies whose forwarding headers count. */
  trustProxy?: string[];
  /** Whether the site uses https. */
  secure: boolean;
  /** Maximum JSON body, in bytes; defaults to 256 KiB. */
  maxBodyBytes?: number;
  /** Time limit of a body; defaults to 30 s. */
  bodyTimeout?: BodyTimeout;
  /** Time limit of headers and its check interval, in ms; defaults to 15 s and 2 s. */
  headersTimeout?: { timeoutMs: number; checkIntervalMs: number };
  /** How long a client may read nothing of its response, in ms; defaults to three minutes. */
  slowClientTimeoutMs?: number;
  /** What counts the answers that wait for clients that don't read; one of its own unless told. */
  unread?: UnreadResponses;
  /** Where answered requests are logged; in `log` unless told. */
  accessLog?: AccessLog;
  /** Called with every answered request, whatever is logged. */
  onAnswered?: AccessLog;
  /** Gives the address that a request's is taken for; itself unless told. */
  rewriteUrl?: (url: string) => string;
}

const levelsOfRequests: ReadonlySet<string> = new Set(["trace", "debug", "info"]);

function addRequestLog(app: AppServer, accessLog: AccessLog, onAnswered?: AccessLog): void {
  app.addHook("onResponse", (request, reply, done) => {
    // A route may have a level of its own.
    const isLogged = levelsOfRequests.has(request.routeOptions.logLevel || "info");
    if (isLogged || onAnswered !== undefined) {
      const answered = {
        reqId: request.id,
        method: request.method,
        pathJson: JSON.stringify(redactText(request.url.split("?", 1)[0] ?? "")),
        status: reply.statusCode,
        ms: reply.elapsedTime,
        ip: request.ip,
      };
      onAnswered?.(answered);
      if (isLogged) accessLog(answered);
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

/** While the server closes, responses end their connection, which would otherwise delay the end. */
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

/** Requests that match no route: 405 with Allow if another method would match, otherwise 404. */
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
 * A Fastify server with what all our processes share: zod schemas in both directions, the envelope
 * for every error, JSON bodies only, security headers, request IDs, a redacted request log, and
 * time limits for slow clients. The caller adds routes, listens, and closes.
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
    childLoggerFactory: (...parts) => new RequestLog(parts[0], parts[1], parts[2]),
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    trustProxy: options.trustProxy?.length ? options.trustProxy : false,
    bodyLimit: maxBodyBytes,
    // Each route has its own limit: see `enforceBodyTimeout`.
    requestTimeout: 0,
    // Idle connections have Node's limits, those with a response that of `closeOnSlowClient`.
    connectionTimeout: options.slowClientTimeoutMs ?? defaultSlowClientTimeoutMs,
    keepAliveTimeout: serverTimeouts.keepAlive,
    return503OnClosing: false,
    // Without a Host, Node would answer without a body; the routes' own host check has a message.
    http: {
      headersTimeout: headersTimeout.timeoutMs,
      connectionsCheckingInterval: headersTimeout.checkIntervalMs,
      requireHostHeader: false,
    },
    rewriteUrl: ({ url = "/" }: IncomingMessage) => rewriteUrl(url),
    routerOptions: { maxParamLength: 256 },
    clientErrorHandler: sendMalformedRequestError,
    // An undecodable address reaches no hook.
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
  addRequestLog(app, options.accessLog ?? accessLogOf(options.log), options.onAnswered);
  addFallback(app);
  enforceStrictSchemas(app, { maxBytes: maxBodyBytes });
  return app;
}
