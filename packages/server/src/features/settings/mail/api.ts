import { z } from "zod";
import type { Clock } from "../../../kit/clock.ts";
import { envelope, errorEnvelope, ok, pageOf } from "../../../kit/envelope.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { type Delivery, leaseMs } from "../../../platform/mailer/delivery.ts";
import type { SendingOutbox } from "../../../platform/mailer/outbox.ts";
import { adminRefusals, adminRoute, noStore } from "../../admin-auth/admin-route.ts";
import type { AdminGuard } from "../../admin-auth/guard.ts";
import type { Settings } from "../settings.ts";
import { listDeliveries, retryDelivery } from "./deliveries.ts";
import { ownersAddress, saveMail, viewMail } from "./mail-settings.ts";
import {
  deliveriesQuery,
  deliveryView,
  mailBody,
  mailTest,
  mailView,
  retryBody,
} from "./schema.ts";

export interface MailSettingRoutes {
  guard: AdminGuard;
  settings: Settings;
  db: Db;
  clock: Clock;
  outbox: SendingOutbox;
  delivery: Pick<Delivery, "sendHeld" | "wake">;
}

const described = adminRoute("settings");
const url = "/api/adminsettings/mail";

/** How mail leaves: read without its secrets, changed, tried out; and what has left. */
export function registerMailSettings(app: AppServer, routes: MailSettingRoutes): void {
  registerSetting(app, routes);
  registerTest(app, routes);
  registerDeliveries(app, routes);
}

function registerSetting(app: AppServer, { guard, settings }: MailSettingRoutes): void {
  const response = { 200: envelope(mailView), ...adminRefusals };
  app.get(
    url,
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: { ...described, summary: "How mail leaves, without the secrets", response },
    },
    async () => ok(await viewMail(settings)),
  );
  app.post(
    url,
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: { ...described, summary: "Set how mail leaves", body: mailBody, response },
    },
    async (request) => ok(await saveMail(settings, request.body)),
  );
}

function registerTest(app: AppServer, routes: MailSettingRoutes): void {
  const { guard, settings, db, outbox, delivery } = routes;
  app.post(
    `${url}/test`,
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Send the owner a mail to see that it arrives",
        body: z.strictObject({}).nullish(),
        response: { 200: envelope(mailTest), 409: errorEnvelope, ...adminRefusals },
      },
    },
    async () => {
      const to = await ownersAddress(settings);
      if (to === null) {
        throw new AppError("invalid_state", "Say first where your own mail goes.");
      }
      const content = {
        paragraphs: ["This is the mail you asked for on the settings page. It has arrived."],
        action: { label: "Back to the settings", path: "/admin/settings" },
      };
      const subject = "A mail from your site";
      const id = await outbox.hold(db, { purpose: "test", to, subject, content }, leaseMs);
      return ok(await delivery.sendHeld(id));
    },
  );
}

function registerDeliveries(app: AppServer, routes: MailSettingRoutes): void {
  const { guard, db, clock, delivery } = routes;
  app.get(
    `${url}/deliveries`,
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "The mails of the last 30 days, without what they said",
        querystring: deliveriesQuery,
        response: { 200: envelope(pageOf(deliveryView)), ...adminRefusals },
      },
    },
    async (request) => ok(await listDeliveries(db, request.query)),
  );
  app.post(
    `${url}/deliveries/retry`,
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Try again to send a mail that nobody took",
        body: retryBody,
        response: {
          200: envelope(deliveryView),
          404: errorEnvelope,
          409: errorEnvelope,
          ...adminRefusals,
        },
      },
    },
    async (request) => {
      const view = await retryDelivery({ db, clock }, request.body.id);
      delivery.wake();
      return ok(view);
    },
  );
}
