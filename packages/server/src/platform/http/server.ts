import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { AppError } from "../../kit/errors.ts";
import { type Log, redactText } from "../log.ts";
import { answerError } from "./answers.ts";
import { type BodyTime, boundBodyTime, usualBodyTime } from "./body-time.ts";
import {
  answerBrokenRequest,
  defaultHeaders,
  ignoreUnknownExpectations,
  reportServerErrors,
  serverTimes,
} from "./http-defaults.ts";
import { boundedJson } from "./json-body.ts";
import { makeMethodTable } from "./methods.ts";
import { takeNothingMore } from "./nothing-more.ts";
import { boundTakingTime, usualTakingTime } from "./taking-time.ts";
import { boundUnreadAnswers, type UnreadBounds } from "./unread-answers.ts";
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
  bodyLimit?: number;
  /** How long a body may take; 30 s unless told. */
  bodyTime?: BodyTime;
  /** How long the headers may take, and how often it is looked, in ms; 15 s and 2 s unless told. */
  headersTime?: { whole: number; every: number };
  /** For how long a client may take nothing of its answer, in ms; three minutes unless told. */
  takingTime?: number;
  /** How much of answers may wait for clients that don't read; see `usualUnreadBounds`. */
  unread?: UnreadBounds;
  /** Gives the address that a request's is taken for; itself unless told. */
  rewriteUrl?: (url: string) => string;
}

function addRequestLog(app: AppServer): void {
  app.addHook("onResponse", async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: redactText(request.url.split("?", 1)[0] ?? ""),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ip: request.ip,
      },
      "request",
    );
  });
}

/** While the server closes, whoever is answered keeps no connection: it would hold the end up. */
function letGoWhileClosing(app: AppServer): void {
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
    throw new AppError("method_not_allowed", `${request.method} is not possible here.`, {
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
    headersTime = { whole: serverTimes.headers, every: serverTimes.checkHeadersEvery },
  } = options;
  const { bodyLimit = 256 * 1024 } = options;
  const headers = defaultHeaders(options.secure);
  const app: AppServer = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    trustProxy: options.trustProxy?.length ? options.trustProxy : false,
    bodyLimit,
    // A bound of its own for each route: see boundBodyTime.
    requestTimeout: 0,
    // A connection with nothing on it goes by the bounds of Node; one with an answer by boundTakingTime.
    connectionTimeout: options.takingTime ?? usualTakingTime,
    keepAliveTimeout: serverTimes.keepAlive,
    return503OnClosing: false,
    // Without a Host Node answers by itself, bare; the routes' own check of the host has the words.
    http: {
      headersTimeout: headersTime.whole,
      connectionsCheckingInterval: headersTime.every,
      requireHostHeader: false,
    },
    rewriteUrl: ({ url = "/" }: IncomingMessage) => rewriteUrl(url),
    routerOptions: { maxParamLength: 256 },
    clientErrorHandler: answerBrokenRequest,
    // An address that can't be decoded passes no hook.
    frameworkErrors: (error, request, reply) => {
      reply.headers(headers);
      answerError(error, request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();
  ignoreUnknownExpectations(app.server);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  app.removeContentTypeParser("text/plain");
  const json = boundedJson(app.getDefaultJsonParser("error", "error"));
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "string" }, json);
  app.addHook("onRequest", boundBodyTime(options.bodyTime ?? usualBodyTime));
  app.addHook("onRequest", boundTakingTime);
  boundUnreadAnswers(app, options.unread);
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({ ...headers, "x-request-id": request.id });
    // A lenient parser takes a tab for the end of the type; a browser then skips its preflight.
    if (request.headers["content-type"]?.includes("\t")) {
      throw new AppError("unsupported_media_type", "The Content-Type is malformed.");
    }
  });
  app.setErrorHandler(answerError);
  letGoWhileClosing(app);
  reportServerErrors(app.server, options.log);
  addRequestLog(app);
  addFallback(app);
  takeNothingMore(app, { maxBytes: bodyLimit });
  return app;
}
