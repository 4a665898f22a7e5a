import { z } from "zod";
import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import { AppError } from "../../../kit/errors.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import type { Mailer } from "../../../platform/mailer/mailer.ts";
import { adminRefusals, adminRoute, noStore } from "../../admin-auth/admin-route.ts";
import type { AdminGuard } from "../../admin-auth/guard.ts";
import type { Settings } from "../settings.ts";
import { ownersAddress, saveMail, viewMail } from "./mail-settings.ts";
import { mailBody, mailTest, mailView } from "./schema.ts";

export interface MailSettingRoutes {
  guard: AdminGuard;
  settings: Settings;
  mailer: Mailer;
}

const described = adminRoute("settings");

/** How mail leaves: read without its secrets, changed, tried out. */
export function registerMailSettings(app: AppServer, routes: MailSettingRoutes): void {
  const { guard, settings, mailer } = routes;
  const url = "/api/adminsettings/mail";
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
      const subject = "A mail from your site";
      const text = "This is the mail you asked for on the settings page. It has arrived.";
      return ok(await mailer.send({ to, subject, text }));
    },
  );
}
