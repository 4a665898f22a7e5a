import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import { registerSite } from "../../packages/server/src/features/release/api.ts";
import { createHttpServer } from "../../packages/server/src/platform/http/server.ts";
import { makeWorkerPool } from "../../packages/server/src/platform/worker-pool.ts";

// The web process with only the public site, for the release in the folder that is its argument.

const dir = process.argv[2] ?? ".";
const log = pino({ level: "warn" });
const app = createHttpServer({ log, name: "bench", secure: false });
registerSite(app, {
  paths: { current: join(dir, "current"), releases: join(dir, "releases") },
  log,
  workers: makeWorkerPool(),
  decorate: async () => null,
});
await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.({ port: (app.server.address() as AddressInfo).port });
process.on("disconnect", () => void app.close());
