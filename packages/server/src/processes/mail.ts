import { mailRoutes } from "../features/settings/mail/mail-settings.ts";
import type { Settings } from "../features/settings/settings.ts";
import { type Delivery, makeDelivery } from "../platform/mailer/delivery.ts";
import { makeOutbox, type SendingOutbox } from "../platform/mailer/outbox.ts";
import { isoTime } from "../kit/time.ts";
import { countStuckMails } from "../platform/mailer/outbox-store.ts";
import type { Instance } from "./instance.ts";

/** Mail, for one process: where it is put, and what sends it. */
export interface ProcessMail {
  outbox: SendingOutbox;
  delivery: Delivery;
}

/** Where a process puts its mail; one that delivers is told by `onPosted`, else it is found within 5 s. */
export function openOutbox(
  { config, keys, clock }: Pick<Instance, "config" | "keys" | "clock">,
  onPosted?: () => void,
): SendingOutbox {
  const { baseUrl } = config;
  const options = { keyring: keys.settings, clock, baseUrl, siteName: () => config.owner.name };
  return makeOutbox(onPosted ? { ...options, onPosted } : options);
}

/** The outbox of a process that also delivers; the caller starts and closes the delivery. */
export function openMail(instance: Instance, settings: Settings): ProcessMail {
  const { database, keys, clock, log } = instance;
  const delivery = makeDelivery({
    db: database.db,
    keyring: keys.settings,
    clock,
    log,
    routes: () => mailRoutes(settings),
  });
  return { outbox: openOutbox(instance, delivery.wake), delivery };
}

const dayMs = 86_400_000;

/** How mail leaves at the moment. */
export async function mailState({ database, clock }: Instance, settings: Settings) {
  const routes = await mailRoutes(settings);
  return {
    set: routes !== null && (routes.http !== null || routes.smtp !== null),
    stuck: await countStuckMails(database.db, isoTime(clock.now() - dayMs)),
  };
}
