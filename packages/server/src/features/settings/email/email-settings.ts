import { AppError } from "../../../kit/errors.ts";
import { parseJson } from "../../../kit/json.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { EmailTransports } from "../../../platform/mailer/email.ts";
import type { SettingDefinition } from "../setting-definition.ts";
import type { Settings } from "../settings.ts";
import { type EmailBody, type EmailView, type StoredEmail, storedEmail } from "./schema.ts";

/** How mail leaves and where the owner's goes: one sealed text. */
export const emailSetting: SettingDefinition = {
  name: "mail",
  secret: true,
  description: "How email is sent, as the settings page stores it.",
  // Without email nobody can make an account, and the site doesn't link to them.
  rebuild: "how email leaves was changed",
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

/** What is set, without the secrets. */
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

/** A stored key goes only where it was given for: an address of somebody else's is not sent it. */
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
    // Without encryption it would be read on the way.
    (smtp.secure || !before.secure);
  if (!same || before.password === null) throw needed("smtp.password");
  return before.password;
}

/**
 * Stores how mail leaves. `onFirst` joins the transaction that does so for the first time. Throws
 * `validation_failed` for a secret that is missing.
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

/** How mail leaves now; null while nothing is set. */
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

/** Where the owner's own mail goes; null while it goes nowhere. */
export async function ownerEmail(settings: Settings): Promise<string | null> {
  return (await readStored(settings))?.to ?? null;
}
