import {
  createHash,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export type OidcEndpoint = "discovery" | "token" | "jwks" | "userinfo";
type Answer = (response: ServerResponse) => void;
type Claims = Record<string, unknown>;

/** What a provider does that it should not; an empty one is honest. */
export interface Misbehavior {
  /** Instead of what belongs there. */
  at: Partial<Record<OidcEndpoint, Answer>>;
  /** Over its description of itself, and over the claims of the ID token; undefined leaves one out. */
  document: Claims;
  claims: Claims;
  /** What the userinfo endpoint says. */
  user: Claims;
  /** How the ID token is signed; `stranger` is by a key that it does not show. */
  signed: "RS256" | "none" | "HS256" | "stranger" | "altered";
  /** Over what it sends back with the browser. */
  callback: Record<string, string>;
}

export interface MisbehavingOidc extends AsyncDisposable {
  issuer: string;
  clientId: string;
  clientSecret: string;
  misbehavior: Misbehavior;
  /** How often each place was asked. */
  requests: Record<OidcEndpoint | "authorize" | "elsewhere", number>;
  honest(): void;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sha256 = (value: string) => createHash("sha256").update(value).digest("base64url");

/** Takes the request and never answers. */
export const neverRespond: Answer = () => {};
/** Begins an answer and never ends it. */
export const stallMidBody: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json" }).write('{"issuer":');
};
/** Answers without end. */
export const respondForever: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const more = () => {
    while (!response.destroyed && response.write(" ".repeat(64 * 1024)));
  };
  response.on("drain", more);
  more();
};
export const redirectTo =
  (location: string): Answer =>
  (response) =>
    response.writeHead(307, { location }).end();
export const respondWith =
  (body: string, type = "application/json", status = 200): Answer =>
  (response) =>
    response.writeHead(status, { "content-type": type }).end(body);

function noMisbehavior(): Misbehavior {
  const user = { sub: "person-1", email: "ann@example.com", email_verified: true };
  return { at: {}, document: {}, claims: {}, user, signed: "RS256", callback: {} };
}

/** What whoever alters a token on its way would want it to say. */
const confirmed = { email: "ann@example.com", email_verified: true };

function keyPair() {
  return generateKeyPairSync("rsa", { modulusLength: 2048 });
}

function signToken(
  claims: Claims,
  misbehavior: Misbehavior,
  keys: { own: KeyObject; foreignKey: KeyObject; secret: string },
) {
  const alg =
    misbehavior.signed === "none" || misbehavior.signed === "HS256" ? misbehavior.signed : "RS256";
  const input = `${encode({ alg, kid: "liar", typ: "JWT" })}.${encode(claims)}`;
  if (misbehavior.signed === "none") return `${input}.`;
  if (misbehavior.signed === "HS256") {
    return `${input}.${createHmac("sha256", keys.secret).update(input).digest("base64url")}`;
  }
  const key = misbehavior.signed === "stranger" ? keys.foreignKey : keys.own;
  const signature = sign("sha256", Buffer.from(input), key).toString("base64url");
  if (misbehavior.signed !== "altered") return `${input}.${signature}`;
  return `${input.split(".")[0]}.${encode({ ...claims, ...confirmed })}.${signature}`;
}

/** A provider on the loopback address that is honest but for `misbehavior`. */
export async function startMisbehavingOidc(): Promise<MisbehavingOidc> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own = keyPair();
  const keys = { own: own.privateKey, foreignKey: keyPair().privateKey, secret: "liar-secret" };
  const codes = new Map<string, { nonce: string | null; challenge: string | null }>();

  const provider: MisbehavingOidc = {
    issuer,
    clientId: "the-site",
    clientSecret: keys.secret,
    misbehavior: noMisbehavior(),
    requests: { discovery: 0, token: 0, jwks: 0, userinfo: 0, authorize: 0, elsewhere: 0 },
    honest() {
      provider.misbehavior = noMisbehavior();
      for (const place of Object.keys(provider.requests))
        provider.requests[place as OidcEndpoint] = 0;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  function authorize(url: URL, response: ServerResponse): void {
    const code = randomUUID();
    const params = url.searchParams;
    codes.set(code, { nonce: params.get("nonce"), challenge: params.get("code_challenge") });
    const back = new URL(params.get("redirect_uri") ?? "");
    const state = params.get("state") ?? "";
    for (const [name, value] of Object.entries({ code, state, ...provider.misbehavior.callback })) {
      back.searchParams.set(name, value);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  async function token(request: IncomingMessage): Promise<[number, object]> {
    const params = new URLSearchParams(await text(request));
    const basic = Buffer.from(`${provider.clientId}:${provider.clientSecret}`).toString("base64");
    if (request.headers.authorization !== `Basic ${basic}`)
      return [401, { error: "invalid_client" }];
    const started = codes.get(params.get("code") ?? "");
    codes.delete(params.get("code") ?? "");
    if (started?.challenge !== sha256(params.get("code_verifier") ?? "")) {
      return [400, { error: "invalid_grant" }];
    }
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: provider.clientId,
      sub: "person-1",
      iat: now,
      exp: now + 300,
      nonce: started.nonce,
      ...provider.misbehavior.claims,
    };
    const idToken = signToken(claims, provider.misbehavior, keys);
    return [200, { access_token: "access", token_type: "Bearer", id_token: idToken }];
  }

  async function honestAnswer(
    place: OidcEndpoint,
    request: IncomingMessage,
  ): Promise<[number, object]> {
    if (place === "token") return token(request);
    if (place === "userinfo") return [200, provider.misbehavior.user];
    const jwk = { ...own.publicKey.export({ format: "jwk" }), kid: "liar", use: "sig" };
    if (place === "jwks") return [200, { keys: [jwk] }];
    const document = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
    };
    return [200, { ...document, ...provider.misbehavior.document }];
  }

  const places: Record<string, OidcEndpoint> = {
    "/.well-known/openid-configuration": "discovery",
    "/token": "token",
    "/jwks": "jwks",
    "/userinfo": "userinfo",
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", issuer);
    const place = places[url.pathname];
    provider.requests[place ?? (url.pathname === "/authorize" ? "authorize" : "elsewhere")] += 1;
    if (url.pathname === "/authorize") return authorize(url, response);
    if (place === undefined) return void response.writeHead(404).end();
    const misbehavior = provider.misbehavior.at[place];
    if (misbehavior) return misbehavior(response);
    const [status, body] = await honestAnswer(place, request);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  server.on("request", (request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  return provider;
}
