import { accountTexts } from "../features/accounts/private-texts.ts";
import { addEntry } from "../features/changelog/entry.ts";
import { messageTexts } from "../features/contact/private-texts.ts";
import { memberTexts } from "../features/members/private-texts.ts";
import { makePrivateGate } from "../features/release/private/private-gate.ts";
import { openPublishLock } from "../features/release/current-symlink.ts";
import { makePublisher } from "../features/release/publish.ts";
import { makeRunEvents } from "../features/runs/events.ts";
import { makePublishHooks } from "../features/runs/publish-run.ts";
import type { TaskHooks } from "../features/tasks/worker/run-hooks.ts";
import { makeRepository } from "../features/workspace/git.ts";
import { runTeller } from "./follow-nodes.ts";
import type { Instance } from "./instance.ts";

/** Private texts of other records than projects. */
export const otherPrivateTexts = [messageTexts, accountTexts, memberTexts];

/** What publishing needs; with `recovers`, settles what a dead runner left before anything starts. */
export async function openPublishing(
  instance: Instance,
  tasks: TaskHooks,
  { recovers }: { recovers: boolean },
) {
  const { config, log, clock, database } = instance;
  const { paths, limits } = config;
  const { db } = database;
  const { content: contentDir, workspaces: workspacesDir } = paths;
  const { shared } = instance;
  const remote = shared?.content ?? null;
  const repository = makeRepository({ contentDir, workspacesDir, log, remote });
  const local = openPublishLock(paths);
  const events = makeRunEvents({ db, clock, tellOthers: runTeller(instance) });
  const runHooks = makePublishHooks({ db, clock, events });
  const hooks: typeof runHooks = {
    ...runHooks,
    // The run before its task: whoever locks both rows does so in this order.
    async onPublished(trx, published) {
      await runHooks.onPublished(trx, published);
      await tasks.onPublished(trx, published);
    },
  };
  const gate = makePrivateGate({ db, paths, log, otherTexts: otherPrivateTexts });
  const keepReleases = limits.keep.releases;
  const publisher = makePublisher({
    db,
    repository,
    paths,
    clock,
    log,
    hooks,
    addChange: addEntry,
    gate,
    keepReleases,
    shared: shared?.releases,
    lock: shared ? shared.lock("publish", local) : local,
  });
  if (recovers) await publisher.recover();
  return { repository, events, publisher, gate };
}

/** The publisher with its repository. */
export type Publishing = Awaited<ReturnType<typeof openPublishing>>;
