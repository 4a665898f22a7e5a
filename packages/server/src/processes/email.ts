import { emailTransports } from "../features/settings/email/email-settings.ts";
import type { Settings } from "../features/settings/settings.ts";
import { type DeliveryWorker, makeDeliveryWorker } from "../platform/mailer/delivery-worker.ts";
import { makeOutbox, type SendingOutbox } from "../platform/mailer/outbox.ts";
import { isoTime } from "../kit/time.ts";
import { countStuckEmails } from "../platform/mailer/outbox-store.ts";
import type { Instance } from "./instance.ts";

/** Email in one process: the outbox, and its delivery. */
export interface EmailServices {
  outbox: SendingOutbox;
  deliveryWorker: DeliveryWorker;
}

/**
 * The outbox of a process that doesn't deliver; `onPosted` notifies one that does, otherwise it
 * finds the email within 5 s.
 */
export function openOutbox(
  { config, keys, clock }: Pick<Instance, "config" | "keys" | "clock">,
  onPosted?: () => void,
): SendingOutbox {
  const { baseUrl } = config;
  const options = { keyring: keys.settings, clock, baseUrl, siteName: () => config.owner.name };
  return makeOutbox(onPosted ? { ...options, onEnqueued: onPosted } : options);
}

/** The outbox of a process that also delivers; the caller starts and closes the delivery. */
export function openEmail(instance: Instance, settings: Settings): EmailServices {
  const { database, keys, clock, log } = instance;
  const deliveryWorker = makeDeliveryWorker({
    db: database.db,
    keyring: keys.settings,
    clock,
    log,
    transports: () => emailTransports(settings),
  });
  return { outbox: openOutbox(instance, deliveryWorker.wake), deliveryWorker };
}

const dayMs = 86_400_000;

/** How email is currently sent. */
export async function emailState({ database, clock }: Instance, settings: Settings) {
  const routes = await emailTransports(settings);
  return {
    set: routes !== null && (routes.http !== null || routes.smtp !== null),
    stuck: await countStuckEmails(database.db, isoTime(clock.now() - dayMs)),
  };
}
