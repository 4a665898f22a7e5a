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
import { addressOf, type Conversation, nameOf, type Protocol } from "./identity.ts";
import { ProviderFault } from "./faults.ts";
import type { Fetch } from "./outbound.ts";
import { type IdentityProvider, issuerOf } from "./provider.ts";

/** Where a GitHub server takes what: github.com itself, or an Enterprise Server of one's own. */
export interface GithubPlaces {
  issuer: string;
  authorize: string;
  token: string;
  api: string;
}

export function githubPlaces(provider: IdentityProvider): GithubPlaces {
  const server = issuerAddress(issuerOf(provider));
  const issuer = server.href.replace(/\/$/, "");
  return {
    issuer,
    authorize: `${issuer}/login/oauth/authorize`,
    token: `${issuer}/login/oauth/access_token`,
    api: issuer === "https://github.com" ? "https://api.github.com" : `${issuer}/api/v3`,
  };
}

function configurationOf(provider: IdentityProvider, places: GithubPlaces, fetch: Fetch) {
  const server = {
    issuer: places.issuer,
    authorization_endpoint: places.authorize,
    token_endpoint: places.token,
  };
  const auth = ClientSecretPost(provider.clientSecret);
  const config = new Configuration(server, provider.clientId, undefined, auth);
  config[customFetch] = (url, init) => fetch(url, init as RequestInit);
  if (isPlain(new URL(places.issuer))) allowInsecureRequests(config);
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
  const answer = await fetch(url, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      "user-agent": "vitrine",
    },
  });
  if (answer.status !== 200) throw new ProviderFault(`it answered ${answer.status}`);
  return schema.parse(await answer.json());
}

/** Only code and state go on: what else GitHub may add, such as `iss`, differs with the server. */
function bareCallback(callback: URL): URL {
  const bare = new URL(callback.pathname, callback);
  for (const name of ["code", "state"]) {
    for (const value of callback.searchParams.getAll(name)) bare.searchParams.append(name, value);
  }
  return bare;
}

/**
 * GitHub's OAuth for web applications, with PKCE and state. Who somebody is comes from its API; the
 * one address that counts is the primary one, when GitHub has confirmed it.
 */
export const github: Protocol = {
  async authorizationUrl({ provider, flow, redirectUri, fetch }) {
    const config = configurationOf(provider, githubPlaces(provider), fetch);
    return buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: "user:email",
      state: flow.state,
      code_challenge: await calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: "S256",
    });
  },

  async identify({ provider, flow, fetch }: Conversation, callback) {
    const places = githubPlaces(provider);
    const config = configurationOf(provider, places, fetch);
    const { access_token: token } = await authorizationCodeGrant(config, bareCallback(callback), {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
    });
    const who = await ask(fetch, `${places.api}/user`, token, user);
    const all = await ask(fetch, `${places.api}/user/emails?per_page=100`, token, emails);
    const primary = all.find((entry) => entry.primary === true);
    return {
      issuer: places.issuer,
      subject: String(who.id),
      email: primary?.verified === true ? addressOf(primary.email) : null,
      name: nameOf(who.name),
    };
  },
};
