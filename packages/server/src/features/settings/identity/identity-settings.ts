import { AppError } from "../../../kit/errors.ts";
import { parseInputJson } from "../../../kit/json.ts";
import { parseSetting } from "../parse-setting.ts";
import type { SettingDefinition } from "../setting-definition.ts";
import type { Settings } from "../settings.ts";
import {
  type IdentityBody,
  identityBody,
  type IdentityView,
  type ProviderView,
  type ProviderInput,
  type StoredProvider,
  storedProviders,
} from "./schema.ts";

/** A provider with its secret, as needed for sign-in. */
export type IdentityProviderSetting = StoredProvider;

/** The text to store for a complete list. Throws `validation_failed`. */
function checkProviderList(text: string): string {
  const { providers } = parseSetting("identity", identityBody, { providers: parseInputJson(text) });
  return JSON.stringify(withSecrets(providers, []));
}

/** Identity providers for signing in, in one encrypted text. */
export const identityDefinition: SettingDefinition = {
  name: "identity",
  secret: true,
  description:
    'Identity providers, as a JSON list of {"id", "kind": "oidc|github", "name", "issuer", "clientId", "clientSecret", "enabled"}.',
  check: checkProviderList,
};

/**
 * All providers in order, including disabled ones. Throws `unavailable` if they can't be decrypted
 * or read.
 */
export async function readProviders(
  settings: Pick<Settings, "read">,
): Promise<IdentityProviderSetting[]> {
  const text = await settings.read(identityDefinition);
  if (text === null) return [];
  try {
    return storedProviders.parse(JSON.parse(text));
  } catch (cause) {
    const message = "The stored identity providers can't be read. Set them again.";
    throw new AppError("unavailable", message, { cause });
  }
}

/** The callback address for a provider. */
export function callbackUrl(baseUrl: string, id: string): string {
  return new URL(`/api/account/oauth/${id}/callback`, baseUrl).href;
}

function viewOf({ clientSecret, ...plain }: StoredProvider, baseUrl: string): ProviderView {
  return {
    ...plain,
    clientSecretSet: clientSecret !== "",
    callbackUrl: callbackUrl(baseUrl, plain.id),
  };
}

/** The settings without secrets. */
export async function viewProviders(settings: Settings, baseUrl: string): Promise<IdentityView> {
  const providers = await readProviders(settings);
  return { providers: providers.map((provider) => viewOf(provider, baseUrl)) };
}

/** A stored secret is sent only to the address it was entered for, never to a different one. */
function secretOf(input: ProviderInput, stored: readonly StoredProvider[]): string | null {
  if (input.clientSecret !== undefined) return input.clientSecret;
  const before = stored.find(({ id }) => id === input.id);
  const same = before?.kind === input.kind && before.issuer === input.issuer;
  return same ? before.clientSecret : null;
}

function withSecrets(
  input: readonly ProviderInput[],
  stored: readonly StoredProvider[],
): StoredProvider[] {
  return input.map((provider, index) => {
    const clientSecret = secretOf(provider, stored);
    if (clientSecret !== null) return { ...provider, clientSecret };
    const before = stored.some(({ id }) => id === provider.id);
    const message = before
      ? "must be entered again, because it would be sent somewhere else"
      : "is required";
    throw new AppError("validation_failed", `${provider.name}: the client secret ${message}.`, {
      fields: { [`providers.${index}.clientSecret`]: message },
    });
  });
}

/** Stores the whole list. Throws `validation_failed` for a missing secret. */
export async function saveProviders(settings: Settings, body: IdentityBody): Promise<void> {
  const next = withSecrets(body.providers, await readProviders(settings));
  await settings.write([[identityDefinition, next.length === 0 ? null : JSON.stringify(next)]]);
}
