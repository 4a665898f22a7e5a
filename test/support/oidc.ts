import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Configuration, Provider } from "oidc-provider";

export interface TestOidc extends AsyncDisposable {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Who is at the keyboard: what the provider says of them, by their subject. */
  user: { sub: string } & Record<string, unknown>;
  /** Whether they go on. */
  consents: boolean;
  /** What was asked for at the authorization endpoint. */
  requests: URLSearchParams[];
  /** How many times its description of itself was read. */
  described: number;
}

function privateKey() {
  const { privateKey: key } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { ...key.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "test" };
}

function configuration(oidc: TestOidc, callbacks: string[], inToken: boolean): Configuration {
  return {
    clients: [
      {
        client_id: oidc.clientId,
        client_secret: oidc.clientSecret,
        redirect_uris: callbacks,
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [privateKey()] },
    cookies: { keys: ["only for tests"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: !inToken,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...oidc.user, sub }) }),
  };
}

/** Answers what the provider wants to know of the person, as the person would. */
async function interact(
  provider: Provider,
  oidc: TestOidc,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (!oidc.consents) {
    const error = { error: "access_denied", error_description: "not today" };
    return provider.interactionFinished(request, response, error);
  }
  if (prompt.name === "login") {
    const login = { accountId: oidc.user.sub };
    return provider.interactionFinished(request, response, { login });
  }
  const clientId = String(params["client_id"]);
  const grant = new provider.Grant({ accountId: session?.accountId ?? "", clientId });
  grant.addOIDCScope("openid email profile");
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent });
}

/**
 * A real OpenID provider on the loopback address with one client, whose person signs in and consents
 * at once. `inToken` puts address and name into the ID token; else only the userinfo endpoint has
 * them, as the standard asks for.
 */
export async function startOidc(options: {
  callbacks: string[];
  inToken?: boolean;
}): Promise<TestOidc> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const oidc: TestOidc = {
    issuer,
    clientId: "the-site",
    clientSecret: "a secret: of/the+site",
    user: { sub: "person-1", email: "ann@example.com", email_verified: true, name: "Ann" },
    consents: true,
    requests: [],
    described: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  const provider = new Provider(
    issuer,
    configuration(oidc, options.callbacks, options.inToken ?? false),
  );
  const respond = provider.callback();
  server.on("request", (request, response) => {
    const url = new URL(request.url ?? "/", issuer);
    if (url.pathname === "/auth") oidc.requests.push(url.searchParams);
    if (url.pathname.startsWith("/.well-known/")) oidc.described += 1;
    if (!url.pathname.startsWith("/interaction/")) return void respond(request, response);
    interact(provider, oidc, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  return oidc;
}
