import { AppError } from "../../../kit/errors.ts";
import { parseJson } from "../../../kit/json.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { EmailTransports } from "../../../platform/mailer/email.ts";
import type { SettingDefinition } from "../setting-definition.ts";
import type { Settings } from "../settings.ts";
import { type EmailBody, type EmailView, type StoredEmail, storedEmail } from "./schema.ts";

/** How email is sent and where the owner's goes, in one encrypted text. */
export const emailSetting: SettingDefinition = {
  name: "mail",
  secret: true,
  description: "How email is sent, as the settings page stores it.",
  // Without email, nobody can create an account, and the site doesn't link to accounts.
  rebuild: "the email settings were changed",
};

async function readStored(settings: Pick<Settings, "read">): Promise<StoredEmail | null> {
  const text = await settings.read(emailSetting);
  return text === null ? null : storedEmail.parse(parseJson(text));
}

const unset: EmailView = {
  to: null,
  from: null,
  provider: null,
  providerUrl: null,
  providerDomain: null,
  providerKeySet: false,
  smtp: null,
};

/** The settings without secrets. */
export async function viewEmailSettings(settings: Settings): Promise<EmailView> {
  const stored = await readStored(settings);
  if (stored === null) return unset;
  const { providerKey, smtp, ...plain } = stored;
  const response = { ...plain, providerKeySet: providerKey !== null };
  if (smtp === null) return { ...response, smtp: null };
  const { password, ...server } = smtp;
  return { ...response, smtp: { ...server, passwordSet: password !== null } };
}

function needed(field: string): AppError {
  const message = "must be entered again, because it would be sent somewhere else";
  return new AppError("validation_failed", `Check the following: ${field}.`, {
    fields: { [field]: message },
  });
}

/** A stored key is sent only to the address it was entered for, never to a different one. */
function providerKeyOf(body: EmailBody, stored: StoredEmail | null): string | null {
  if (body.provider === null) return null;
  if (body.providerKey !== undefined) return body.providerKey;
  const same = stored?.provider === body.provider && stored.providerUrl === body.providerUrl;
  if (!same || stored.providerKey === null) throw needed("providerKey");
  return stored.providerKey;
}

function passwordOf({ smtp }: EmailBody, stored: StoredEmail | null): string | null {
  if (smtp === null || smtp.user === null) return null;
  if (smtp.password !== undefined) return smtp.password;
  const before = stored?.smtp;
  const same =
    before?.host === smtp.host &&
    before.port === smtp.port &&
    before.user === smtp.user &&
    // Without encryption, others on the network could read it.
    (smtp.secure || !before.secure);
  if (!same || before.password === null) throw needed("smtp.password");
  return before.password;
}

/**
 * Stores how email is sent. `onFirst` runs in the transaction that does so for the first time.
 * Throws `validation_failed` for a missing secret.
 */
export async function saveEmailSettings(
  settings: Settings,
  body: EmailBody,
  onFirst: (transaction: Db) => Promise<unknown>,
): Promise<EmailView> {
  const stored = await readStored(settings);
  const { providerKey: _key, smtp, ...plain } = body;
  const next: StoredEmail = {
    ...plain,
    providerKey: providerKeyOf(body, stored),
    smtp:
      smtp === null
        ? null
        : {
            host: smtp.host,
            port: smtp.port,
            secure: smtp.secure,
            user: smtp.user,
            password: passwordOf(body, stored),
          },
  };
  const text = JSON.stringify(next);
  await settings.write([[emailSetting, text]], stored === null ? onFirst : undefined);
  return viewEmailSettings(settings);
}

/** How email is sent now; null if it isn't configured. */
export async function emailTransports(
  settings: Pick<Settings, "read">,
): Promise<EmailTransports | null> {
  const stored = await readStored(settings);
  if (stored === null) return null;
  const { from, provider, providerUrl, providerDomain, providerKey, smtp } = stored;
  const http = provider !== null &&
    providerKey !== null && {
      provider,
      key: providerKey,
      url: providerUrl,
      domain: providerDomain,
    };
  return { from, http: http || null, smtp };
}

/** The address of the owner's own email; null if there is none. */
export async function ownerEmail(settings: Settings): Promise<string | null> {
  return (await readStored(settings))?.to ?? null;
}
