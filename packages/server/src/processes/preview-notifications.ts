import type { AppServer } from "../platform/http/server.ts";
import {
  makePresence,
  makePreviewNotifications,
  type PreviewNotifications,
} from "../features/runs/notifications/notifications.ts";
import { isOwnedByOther, type Registry } from "../features/runs/runners/registry.ts";
import { ownerEmail } from "../features/settings/email/email-settings.ts";
import type { Agents } from "./agents.ts";
import type { Instance } from "./instance.ts";
import { openEmail } from "./email.ts";
import { repeat } from "./repeat.ts";

/** How often due notifications are checked, in ms. */
const checkIntervalMs = 5000;

export interface RunnerNotifications {
  onPreviewReady: PreviewNotifications["onPreviewReady"];
  /** Counts every request of the signed-in admin as presence. */
  watchPresence(app: AppServer): void;
  /** Stores notifications that a dead process couldn't; then starts. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Emails the owner about waiting previews, and delivers these emails. */
export function openPreviewNotifications(
  instance: Instance,
  { settings }: Agents,
  registry: Registry,
): RunnerNotifications {
  const { database, clock, log, shared } = instance;
  const { db } = database;
  const { outbox, deliveryWorker } = openEmail(instance, settings);
  const presence = makePresence(clock);
  const notifications = makePreviewNotifications({
    db,
    clock,
    log,
    presence,
    sharedPresence: shared?.presence ?? null,
    isOwnedByOther: (runId) => isOwnedByOther({ db, registry }, runId),
    outbox,
    findRecipient: () => ownerEmail(settings),
  });
  const checks = repeat(() => notifications.sendDue(), {
    everyMs: checkIntervalMs,
    onError: (error) => log.error({ err: error }, "couldn't check whether an email is due"),
  });
  return {
    onPreviewReady: notifications.onPreviewReady,
    watchPresence(app) {
      app.addHook("preHandler", async (request, reply) => {
        if (request.admin?.kind !== "session") return;
        presence.markSeen();
        if (request.routeOptions.url !== "/devconsole/stream/:id") return;
        reply.raw.once("close", presence.openStream());
      });
    },
    async start() {
      await notifications.recover();
      checks.start();
      deliveryWorker.start();
    },
    async close() {
      await checks.close();
      await deliveryWorker.close();
    },
  };
}
