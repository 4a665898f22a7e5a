import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { makeDelivery } from "../../packages/server/src/platform/mailer/delivery.ts";
import { silentLog } from "./media-library.ts";
import { routesTo } from "./mail.ts";

/** Delivers what is in the outbox of its one argument, {url, file, key, port}, until it is killed. */
const { url, file, key, port } = JSON.parse(process.argv[2] ?? "") as {
  url: string | null;
  file: string;
  key: string;
  port: number;
};

makeDelivery({
  db: openDatabase({ url, file }).db,
  keyring: { active: "k1", keys: new Map([["k1", Buffer.from(key, "base64url")]]) },
  clock: systemClock,
  log: silentLog,
  routes: async () => routesTo({ port }),
}).start();
