import { makeNotices, makePresence, type Notices } from "../features/runs/notices/notices.ts";
import { isAnothers, type Registry } from "../features/runs/runners/registry.ts";
import { ownersAddress } from "../features/settings/mail/mail-settings.ts";
import type { AppServer } from "../platform/http/server.ts";
import type { Agents } from "./agents.ts";
import type { Instance } from "./instance.ts";
import { openMail } from "./mail.ts";
import { repeat } from "./repeat.ts";

/** How often it is looked whether somebody is to be told, in ms. */
const lookEveryMs = 5000;

export interface RunnerNotices {
  ready: Notices["ready"];
  /** Takes every call of a signed-in admin for a sign that somebody is there. */
  watch(app: AppServer): void;
  /** Notes what a dead process had no time for; then begins. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** What tells the owner that previews wait, for the runner; what it posts it also delivers. */
export function openNotices(
  instance: Instance,
  { settings }: Agents,
  registry: Registry,
): RunnerNotices {
  const { database, clock, log } = instance;
  const { db } = database;
  const { outbox, delivery } = openMail(instance, settings);
  const presence = makePresence(clock);
  const to = () => ownersAddress(settings);
  const notices = makeNotices({
    db,
    clock,
    log,
    presence,
    isAnothers: (runId) => isAnothers({ db, registry }, runId),
    outbox,
    to,
  });
  const looks = repeat(() => notices.look(), {
    everyMs: lookEveryMs,
    failed: (error) => log.error({ err: error }, "it can't be seen whether a mail is due"),
  });
  return {
    ready: notices.ready,
    watch(app) {
      app.addHook("preHandler", async (request, reply) => {
        if (request.admin?.kind !== "session") return;
        presence.seen();
        if (request.routeOptions.url !== "/devconsole/stream/:id") return;
        reply.raw.once("close", presence.stay());
      });
    },
    async start() {
      await notices.recover();
      looks.start();
      delivery.start();
    },
    async close() {
      await looks.close();
      await delivery.close();
    },
  };
}
