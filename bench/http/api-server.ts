/**
 * The servers that bench/http/api.ts measures, in a process of their own; sends their addresses to
 * the parent.
 */
import { openSync } from "node:fs";
import Fastify from "fastify";
import { setAdminToken } from "../../packages/server/src/features/admin-auth/admin-secrets.ts";
import { ownLimits, registerAdminAuth } from "../../packages/server/src/features/admin-auth/api.ts";
import { makeAdminGuard } from "../../packages/server/src/features/admin-auth/guard.ts";
import { registerHealthApi } from "../../packages/server/src/features/health/api.ts";
import { databaseCheck, migrationCheck } from "../../packages/server/src/features/health/checks.ts";
import { makeHealth } from "../../packages/server/src/features/health/health.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { loadConfig } from "../../packages/server/src/platform/config.ts";
import { makeAccessLog } from "../../packages/server/src/platform/access-log.ts";
import { openBackgroundDestination } from "../../packages/server/src/platform/background-destination.ts";
import { allowedHosts } from "../../packages/server/src/platform/http/origin.ts";
import { makeClientOf } from "../../packages/server/src/platform/http/client-address.ts";
import { registerPublicThrottle } from "../../packages/server/src/platform/http/public-throttle.ts";
import { createHttpServer } from "../../packages/server/src/platform/http/server.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { makeTestDatabase } from "../../test/support/database.ts";

const clock = systemClock;
const config = loadConfig({ VITRINE_DIR: "/nonexistent" });
const { database, cleanup } = await makeTestDatabase();
const { db } = database;
const destination = openBackgroundDestination({ descriptor: openSync("/dev/null", "w") });

/** The cost of the contract is measured against a route that does nothing. */
const bare = Fastify();
bare.get("/bare", async () => ({ ok: true }));
const bareUrl = await bare.listen({ host: "127.0.0.1", port: 0 });

const log = createLog({ level: "info", name: "bench", destination });
const accessLog = makeAccessLog({ name: "bench", isEnabled: true, destination });
const app = createHttpServer({ log, accessLog, name: "bench", secure: false });
app.addHook("onRequest", allowedHosts({ names: ["site.example"], anyAddress: true }));
const clientOf = makeClientOf(config);
registerPublicThrottle(app, {
  clock,
  clientOf,
  perMinute: config.limits.publicPerMinute,
  isAdmitted: (request) => request.admin !== undefined,
  routesWithOwnLimit: ownLimits,
});
const guard = makeAdminGuard({ db, clock, config });
registerAdminAuth(app, { db, clock, config, guard, clientOf });
const checks = { database: databaseCheck(database), migrations: migrationCheck(database) };
registerHealthApi(app, makeHealth({ clock, version: "bench", checks }));
const appUrl = await app.listen({ host: "127.0.0.1", port: 0 });

const { url } = await setAdminToken({ db, clock, baseUrl: appUrl });
const signedIn = await fetch(url, { redirect: "manual" });
const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";

process.send?.({ bare: Number(new URL(bareUrl).port), app: Number(new URL(appUrl).port), cookie });
process.once("disconnect", async () => {
  await Promise.all([bare.close(), app.close()]);
  await cleanup();
});
