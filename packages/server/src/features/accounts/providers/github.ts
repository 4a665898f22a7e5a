import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  Configuration,
  customFetch,
} from "openid-client";
import { z } from "zod";
import { isPlain, issuerAddress } from "./discovery.ts";
import { emailOf, type ProtocolRequest, nameOf, type Protocol } from "./identity.ts";
import { ProviderError } from "./provider-error.ts";
import type { Fetch } from "./outbound.ts";
import { type IdentityProvider, issuerOf } from "./provider.ts";

/** Endpoints of a GitHub server: github.com or a GitHub Enterprise Server. */
export interface GithubEndpoints {
  issuer: string;
  authorize: string;
  token: string;
  api: string;
}

export function githubEndpoints(provider: IdentityProvider): GithubEndpoints {
  const server = issuerAddress(issuerOf(provider));
  const issuer = server.href.replace(/\/$/, "");
  return {
    issuer,
    authorize: `${issuer}/login/oauth/authorize`,
    token: `${issuer}/login/oauth/access_token`,
    api: issuer === "https://github.com" ? "https://api.github.com" : `${issuer}/api/v3`,
  };
}

function configurationOf(provider: IdentityProvider, endpoints: GithubEndpoints, fetch: Fetch) {
  const server = {
    issuer: endpoints.issuer,
    authorization_endpoint: endpoints.authorize,
    token_endpoint: endpoints.token,
  };
  const auth = ClientSecretPost(provider.clientSecret);
  const config = new Configuration(server, provider.clientId, undefined, auth);
  config[customFetch] = (url, init) => fetch(url, init as RequestInit);
  if (isPlain(new URL(endpoints.issuer))) allowInsecureRequests(config);
  return config;
}

const user = z.object({ id: z.int().positive(), name: z.string().nullish() });
const emails = z
  .array(z.object({ email: z.string(), primary: z.unknown(), verified: z.unknown() }))
  .max(1000);

async function ask<S extends z.ZodType>(
  fetch: Fetch,
  url: string,
  token: string,
  schema: S,
): Promise<z.infer<S>> {
  const response = await fetch(url, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      "user-agent": "vitrine",
    },
  });
  if (response.status !== 200)
    throw new ProviderError(`it responded with status ${response.status}`);
  return schema.parse(await response.json());
}

/** Keeps only code and state; other parameters, such as `iss`, differ between servers. */
function bareCallback(callback: URL): URL {
  const bare = new URL(callback.pathname, callback);
  for (const name of ["code", "state"]) {
    for (const value of callback.searchParams.getAll(name)) bare.searchParams.append(name, value);
  }
  return bare;
}

/**
 * GitHub's OAuth for web applications, with PKCE and state. The identity comes from its API; only
 * the primary address counts, if GitHub has confirmed it.
 */
export const github: Protocol = {
  async authorizationUrl({ provider, flow, redirectUri, fetch }) {
    const config = configurationOf(provider, githubEndpoints(provider), fetch);
    return buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: "user:email",
      state: flow.state,
      code_challenge: await calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: "S256",
    });
  },

  async identify({ provider, flow, fetch }: ProtocolRequest, callback) {
    const endpoints = githubEndpoints(provider);
    const config = configurationOf(provider, endpoints, fetch);
    const { access_token: token } = await authorizationCodeGrant(config, bareCallback(callback), {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
    });
    const who = await ask(fetch, `${endpoints.api}/user`, token, user);
    const all = await ask(fetch, `${endpoints.api}/user/emails?per_page=100`, token, emails);
    const primary = all.find((entry) => entry.primary === true);
    return {
      issuer: endpoints.issuer,
      subject: String(who.id),
      email: primary?.verified === true ? emailOf(primary.email) : null,
      name: nameOf(who.name),
    };
  },
};
