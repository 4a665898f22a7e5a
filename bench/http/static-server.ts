import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { registerSite } from "../../packages/server/src/features/release/api.ts";
import { openSiteFiles } from "../../packages/server/src/features/release/site/site-files.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { makeAccessLog } from "../../packages/server/src/platform/access-log.ts";
import { openBackgroundDestination } from "../../packages/server/src/platform/background-destination.ts";
import { makeClientOf } from "../../packages/server/src/platform/http/client-address.ts";
import { allowedHosts } from "../../packages/server/src/platform/http/origin.ts";
import { registerPublicThrottle } from "../../packages/server/src/platform/http/public-throttle.ts";
import { createHttpServer } from "../../packages/server/src/platform/http/server.ts";
import { trackUnreadResponses } from "../../packages/server/src/platform/http/unread-responses.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { makeWorkerPool } from "../../packages/server/src/platform/worker-pool.ts";
import { respondFromMemory } from "../../packages/server/src/processes/site-requests.ts";

// The web process with the public site alone, with its hooks and its log, on a release below the folder
// that is its argument.

const dir = process.argv[2] ?? ".";
const baseUrl = "https://site.example";
const destination = openBackgroundDestination();
const log = createLog({ level: "info", name: "web", destination });
const accessLog = makeAccessLog({ name: "web", isEnabled: true, destination });
const clientOf = makeClientOf({ trustedIps: [], trustProxy: [] });
const unread = trackUnreadResponses();
const site = openSiteFiles({ current: join(dir, "current"), releases: join(dir, "releases") });
const app = createHttpServer({ log, accessLog, unread, name: "web", secure: true });
respondFromMemory(app, { baseUrl, site, clientOf, unread, accessLog });
app.addHook("onRequest", allowedHosts({ names: [new URL(baseUrl).host], anyAddress: true }));
registerPublicThrottle(app, {
  clock: systemClock,
  clientOf,
  perMinute: 60,
  isAdmitted: (request) => request.admin !== undefined,
  routesWithOwnLimit: [],
});
registerSite(app, { ...site, log, workers: makeWorkerPool(), decorate: async () => null });
await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.({ port: (app.server.address() as AddressInfo).port });
process.on("disconnect", () => process.exit(0));
