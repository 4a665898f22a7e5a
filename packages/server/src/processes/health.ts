import { readSeedState } from "../features/changelog/store.ts";
import {
  databaseCheck,
  diskCheck,
  mailerCheck,
  memoryCheck,
  migrationCheck,
  modelCheck,
  queueCheck,
  runnerCheck,
  sandboxCheck,
  siteCheck,
} from "../features/health/checks.ts";
import type { HealthDependencies } from "../features/health/health.ts";
import { membersBuildError } from "../features/members/build-store.ts";
import { rebuildFailure } from "../features/release/rebuild-requests.ts";
import type { Db } from "../platform/db/connect.ts";
import type { Agents } from "./agents.ts";
import { emailState } from "./email.ts";
import type { Instance } from "./instance.ts";
import { fetchRunnerStatus } from "./runner-client.ts";
import { queueHealth } from "./tasks.ts";

/** Why the public site does not show what the owner keeps; without details, for anybody may ask. */
async function rebuildError(db: Db): Promise<string | null> {
  const failure = await rebuildFailure(db);
  if (failure !== null) return `the last rebuild failed: ${failure}`;
  const seed = await readSeedState(db);
  if (seed?.error) return "the changelog's seed file is invalid";
  return (await membersBuildError(db)) === null ? null : "a build for members failed";
}

/** What `GET /api/health` looks at. */
export function healthDependencies(instance: Instance, agents: Agents): HealthDependencies {
  const { config, clock, database, version } = instance;
  // One question serves the two checks of a look.
  let pending: ReturnType<typeof fetchRunnerStatus> | null = null;
  const askOnce = () => {
    pending ??= fetchRunnerStatus(instance).finally(() => (pending = null));
    return pending;
  };
  const model = async () => {
    const choice = await agents.choice.current();
    return choice && { name: `${choice.config.provider}/${choice.config.id}` };
  };
  return {
    version,
    clock,
    checks: {
      database: databaseCheck(database),
      migrations: migrationCheck(database),
      runner: runnerCheck(askOnce),
      site: siteCheck(config.paths, () => rebuildError(database.db)),
      disk: diskCheck(config.paths.data),
      sandbox: sandboxCheck(async () => (await askOnce()).tier),
      memory: memoryCheck(async () => (await askOnce()).memory),
      mailer: mailerCheck(() => emailState(instance, agents.settings)),
      model: modelCheck(model),
      queue: queueCheck(queueHealth(instance, agents)),
    },
  };
}
