import { readFile } from "node:fs/promises";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import { registerMessages } from "../features/contact/admin/api.ts";
import { registerContact } from "../features/contact/api.ts";
import { makeContact } from "../features/contact/contact.ts";
import { listCopyOrigins } from "../features/publish-targets/store.ts";
import { makeLiveReleases } from "../features/release/site/live-release.ts";
import { ownerEmail } from "../features/settings/email/email-settings.ts";
import type { Settings } from "../features/settings/settings.ts";
import type { ClientOf } from "../platform/http/client-address.ts";
import type { AppServer } from "../platform/http/server.ts";
import type { Outbox } from "../platform/mailer/outgoing-email.ts";
import type { Instance } from "./instance.ts";

/** Reads pages of the public site. */
function publicPages({ config }: Instance): (address: string) => Promise<string | null> {
  const releases = makeLiveReleases(config.paths);
  return async (address) => {
    const file = (await releases.current())?.files.get(address);
    return file?.page ? readFile(file.path, "utf8") : null;
  };
}

/** Routes where visitors write to the owner, and where the owner reads messages. */
export function registerMessaging(
  app: AppServer,
  instance: Instance,
  deps: { guard: AdminGuard; clientOf: ClientOf; settings: Settings; outbox: Outbox },
): void {
  const { config, database, clock, openLimit } = instance;
  const { db } = database;
  const { guard, clientOf, settings, outbox } = deps;
  registerContact(app, {
    contact: makeContact({ db, clock, outbox, openLimit, to: () => ownerEmail(settings) }),
    clock,
    clientOf,
    limits: config.limits.contact,
    openLimit,
    baseUrl: config.baseUrl,
    copyOrigins: () => listCopyOrigins(db),
    page: publicPages(instance),
    workers: instance.workers,
  });
  registerMessages(app, { guard, db, clock });
}
