import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import { AppError } from "../../../kit/errors.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../../admin-auth/admin-route.ts";
import type { AdminGuard } from "../../admin-auth/guard.ts";
import type { Settings } from "../settings.ts";
import {
  type IdentityProviderSetting,
  readProviders,
  saveProviders,
  viewProviders,
} from "./identity-settings.ts";
import { identityBody, identityTest, type IdentityTest, identityView, testBody } from "./schema.ts";

export interface IdentitySettingsDependencies {
  guard: AdminGuard;
  settings: Settings;
  baseUrl: string;
  /** Sends requests to the provider. Throws `upstream_failed` with an explanation for the owner. */
  testProvider(provider: IdentityProviderSetting): Promise<IdentityTest>;
}

const described = adminRoute("settings");

/** Identity providers: reading them without secrets, setting the list, and testing each one. */
export function registerIdentitySettings(app: AppServer, deps: IdentitySettingsDependencies): void {
  const { guard, settings, baseUrl } = deps;
  const url = "/api/adminsettings/identity";
  const response = { 200: envelope(identityView), 503: errorEnvelope, ...adminErrorResponses };
  app.get(
    url,
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: { ...described, summary: "List identity providers, without their secrets", response },
    },
    async () => ok(await viewProviders(settings, baseUrl)),
  );
  app.post(
    url,
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: { ...described, summary: "Set the identity providers", body: identityBody, response },
    },
    async (request) => {
      await saveProviders(settings, request.body);
      return ok(await viewProviders(settings, baseUrl));
    },
  );
  app.post(
    `${url}/test`,
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Test an identity provider by reading its discovery document",
        body: testBody,
        response: {
          200: envelope(identityTest),
          404: errorEnvelope,
          502: errorEnvelope,
          503: errorEnvelope,
          ...adminErrorResponses,
        },
      },
    },
    async ({ body: { id } }) => {
      const provider = (await readProviders(settings)).find((one) => one.id === id);
      if (!provider) throw new AppError("not_found", "This provider doesn't exist. Save it first.");
      return ok(await deps.testProvider(provider));
    },
  );
}
