import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { migrate } from "../../packages/server/src/platform/db/migrate.ts";
import { killSelf } from "./kill-self.ts";

/**
 * Migrates a database with the schema in `dir`, and kills itself before statement `killAt`. Its one
 * argument is {url, file, dir, killAt}.
 */
const { url, file, dir, killAt } = JSON.parse(process.argv[2] ?? "") as {
  url: string | null;
  file: string;
  dir: string;
  killAt: number;
};

const database = openDatabase({ url, file });
let count = 0;
const onStatement = () => {
  if (count === killAt) killSelf();
  count += 1;
};
await migrate({ database, dir, now: Date.now(), onStatement });
await database.close();
