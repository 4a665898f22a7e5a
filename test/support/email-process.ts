import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { makeDeliveryWorker } from "../../packages/server/src/platform/mailer/delivery-worker.ts";
import { silentLog } from "./media-library.ts";
import { routesTo } from "./email.ts";

/** Delivers the outbox's emails until it is killed. Its one argument is {url, file, key, port}. */
const { url, file, key, port } = JSON.parse(process.argv[2] ?? "") as {
  url: string | null;
  file: string;
  key: string;
  port: number;
};

makeDeliveryWorker({
  db: openDatabase({ url, file }).db,
  keyring: { active: "k1", keys: new Map([["k1", Buffer.from(key, "base64url")]]) },
  clock: systemClock,
  log: silentLog,
  transports: async () => routesTo({ port }),
}).start();
