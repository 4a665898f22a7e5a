import { z } from "zod";
import type { Clock } from "../../../kit/clock.ts";
import { envelope, errorEnvelope, ok, pageSchema } from "../../../kit/envelope.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { type DeliveryWorker, leaseMs } from "../../../platform/mailer/delivery-worker.ts";
import type { SendingOutbox } from "../../../platform/mailer/outbox.ts";
import { adminErrorResponses, adminRoute, noStore } from "../../admin-auth/admin-route.ts";
import type { AdminGuard } from "../../admin-auth/guard.ts";
import type { Settings } from "../settings.ts";
import { listDeliveries, retryDelivery } from "./deliveries.ts";
import { ownerEmail, saveEmailSettings, viewEmailSettings } from "./email-settings.ts";
import {
  deliveriesQuery,
  deliveryView,
  emailBody,
  emailTest,
  emailView,
  retryBody,
} from "./schema.ts";

export interface EmailSettingsDependencies {
  guard: AdminGuard;
  settings: Settings;
  db: Db;
  clock: Clock;
  outbox: SendingOutbox;
  delivery: Pick<DeliveryWorker, "sendReserved" | "wake">;
  /**
   * Called in the transaction that sets it for the first time: sign-up may be open from then on.
   */
  onFirstSet(transaction: Db): Promise<unknown>;
}

const described = adminRoute("settings");
const url = "/api/adminsettings/email";

/**
 * Email settings: reading them without secrets, changing and testing them, and the list of sent
 * emails.
 */
export function registerEmailSettings(app: AppServer, deps: EmailSettingsDependencies): void {
  registerSetting(app, deps);
  registerTest(app, deps);
  registerDeliveries(app, deps);
}

function registerSetting(
  app: AppServer,
  { guard, settings, onFirstSet }: EmailSettingsDependencies,
): void {
  const response = { 200: envelope(emailView), ...adminErrorResponses };
  app.get(
    url,
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: { ...described, summary: "How email is sent, without the secrets", response },
    },
    async () => ok(await viewEmailSettings(settings)),
  );
  app.post(
    url,
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: { ...described, summary: "Set how email is sent", body: emailBody, response },
    },
    async (request) => ok(await saveEmailSettings(settings, request.body, onFirstSet)),
  );
}

function registerTest(app: AppServer, deps: EmailSettingsDependencies): void {
  const { guard, settings, db, outbox, delivery } = deps;
  app.post(
    `${url}/test`,
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Send the owner a test email",
        body: z.strictObject({}).nullish(),
        response: { 200: envelope(emailTest), 409: errorEnvelope, ...adminErrorResponses },
      },
    },
    async () => {
      const to = await ownerEmail(settings);
      if (to === null) {
        throw new AppError("invalid_state", "Enter your own email address first.");
      }
      const content = {
        paragraphs: [
          "This is the test email you requested on the settings page. Email from your site works.",
        ],
        action: { label: "Back to the settings", path: "/admin/settings" },
      };
      const subject = "Test email from your site";
      const id = await outbox.reserve(db, { purpose: "test", to, subject, content }, leaseMs);
      return ok(await delivery.sendReserved(id));
    },
  );
}

function registerDeliveries(app: AppServer, deps: EmailSettingsDependencies): void {
  const { guard, db, clock, delivery } = deps;
  app.get(
    `${url}/deliveries`,
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "List emails of the last 30 days, without their content",
        querystring: deliveriesQuery,
        response: { 200: envelope(pageSchema(deliveryView)), ...adminErrorResponses },
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
        summary: "Resend an email that couldn't be delivered",
        body: retryBody,
        response: {
          200: envelope(deliveryView),
          404: errorEnvelope,
          409: errorEnvelope,
          ...adminErrorResponses,
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
