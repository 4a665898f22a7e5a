import { makeNotices, makePresence, type Notices } from "../features/runs/notices/notices.ts";
import { isAnothers, type Registry } from "../features/runs/runners/registry.ts";
import { mailRoutes, ownersAddress } from "../features/settings/mail/mail-settings.ts";
import type { AppServer } from "../platform/http/server.ts";
import { makeMailer } from "../platform/mailer/mailer.ts";
import type { Agents } from "./agents.ts";
import type { Instance } from "./instance.ts";
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

/** What tells the owner that previews wait, for the runner. */
export function openNotices(
  { config, database, clock, log }: Instance,
  { settings }: Agents,
  registry: Registry,
): RunnerNotices {
  const { db } = database;
  const mailer = makeMailer({ routes: () => mailRoutes(settings), log });
  const presence = makePresence(clock);
  const to = () => ownersAddress(settings);
  const { baseUrl } = config;
  const notices = makeNotices({
    db,
    clock,
    log,
    presence,
    isAnothers: (runId) => isAnothers({ db, registry }, runId),
    mailer,
    to,
    baseUrl,
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
    },
    close: () => looks.close(),
  };
}
