import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { makeAccessLog } from "../../packages/server/src/platform/access-log.ts";
import { openBackgroundDestination } from "../../packages/server/src/platform/background-destination.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { createFront } from "../../packages/server/src/processes/front-server.ts";

// The front, with its log, on a release below the folder that is its argument.

const dir = process.argv[2] ?? ".";
const settings = {
  baseUrl: "https://site.example",
  trustedIps: [],
  trustProxy: [],
  logLevel: "info",
  paths: { current: join(dir, "current"), releases: join(dir, "releases") },
  webSocket: join(dir, "web.sock"),
};
const destination = openBackgroundDestination();
const log = createLog({ level: "info", name: "front", destination });
const accessLog = makeAccessLog({ name: "front", isEnabled: true, destination });
const { server } = createFront(settings, { log, accessLog });
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.send?.({ port: (server.address() as AddressInfo).port });
process.on("disconnect", () => process.exit(0));
