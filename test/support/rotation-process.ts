/** Rotates the settings' key and dies at the step of this number, as by a power cut. */
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { rotateSettingsKey } from "../../packages/server/src/features/settings/keys/rotation.ts";
import { killSelf } from "./kill-self.ts";

const [file = "", keysDir = "", lockFile = "", dieAt = ""] = process.argv.slice(2);
const database = openDatabase({ url: null, file });
let step = 0;
await rotateSettingsKey({
  db: database.db,
  keysDir,
  lockFile,
  now: Date.now(),
  onStep() {
    step += 1;
    if (step === Number(dieAt)) killSelf();
  },
});
await database.close();
