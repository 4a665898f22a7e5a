import type { FastifyReply, FastifyRequest } from "fastify";
import { registerSite } from "../features/release/api.ts";
import { failure } from "../kit/envelope.ts";
import { AppError } from "../kit/errors.ts";
import { loadConfig } from "../platform/config.ts";
import { makeClientOf } from "../platform/http/client-address.ts";
import { capConnections } from "../platform/http/connection-cap.ts";
import { isReservedPath } from "../platform/http/methods.ts";
import { allowedHosts } from "../platform/http/origin.ts";
import { type AppServer, createHttpServer } from "../platform/http/server.ts";
import { createLog } from "../platform/log.ts";
import { givenDescriptor, inheritedDescriptor, listenOn } from "./shared-port.ts";

function restarting(): AppError {
  return new AppError("unavailable", "The server is restarting. Try again in a moment.", {
    headers: { "retry-after": "2" },
  });
}

/** Lets through what the public release may answer: anything else needs the web process. */
async function onlyTheSite({ method, url }: FastifyRequest, reply: FastifyReply) {
  const path = url.split("?", 1)[0] ?? "/";
  if ((method === "GET" || method === "HEAD") && !isReservedPath(path)) return undefined;
  // Answered and not thrown: each of the many that wait would be an error in the log.
  return reply.code(503).header("retry-after", "2").send(failure(restarting()));
}

/** The public release and nothing else, on the socket of the web process. */
async function openStandIn(env: Record<string, string | undefined>): Promise<AppServer> {
  const config = loadConfig(env);
  const { baseUrl, paths, trustProxy } = config;
  const log = createLog({ level: config.logLevel, name: "stand-in" });
  const secure = baseUrl.startsWith("https:");
  const app = createHttpServer({ log, name: "web", trustProxy, secure });
  capConnections(app.server, { clientOf: makeClientOf(config), trustProxy });
  app.addHook("onRequest", allowedHosts({ names: [new URL(baseUrl).host], anyAddress: true }));
  app.addHook("onRequest", onlyTheSite);
  // What a visitor may have of their own is known to the database alone.
  registerSite(app, { paths, log, findOwn: () => Promise.reject(restarting()) });
  await app.ready();
  return app;
}

const descriptor = givenDescriptor(process.argv) ?? inheritedDescriptor;
const app = await openStandIn(process.env);
let close: (() => Promise<void>) | null = null;

async function end(): Promise<void> {
  await Promise.all([close?.(), app.close()]);
  process.exit(0);
}

async function serve(): Promise<void> {
  close = await listenOn(app.server, descriptor);
  app.log.warn("the web process has ended: serving the public site until it is back");
}

process.on("message", (message) => {
  if (message === "end") void end();
  if (message !== "serve" || close !== null) return;
  void serve();
});
process.on("SIGTERM", () => void end());
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
