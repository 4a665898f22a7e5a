import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface GithubEmail {
  email: string;
  primary: unknown;
  verified: unknown;
  visibility: string | null;
}

export interface TestGithub extends AsyncDisposable {
  /** Its address, as an Enterprise Server's. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  callback: string;
  user: { id: unknown; login: string; name: string | null; email: string | null };
  emails: GithubEmail[];
  /** What was asked for at the authorization endpoint. */
  requests: URLSearchParams[];
  /** What comes back besides code and state. */
  also: Record<string, string>;
}

type Reply = [status: number, body: object];

const badCode = "bad_verification_code";

/** Compares as GitHub does: a wrong code is said only to who knows the secret. */
function makeToken(github: TestGithub, codes: Map<string, string>, tokens: Set<string>) {
  return async (request: IncomingMessage): Promise<Reply> => {
    const params = new URLSearchParams(await text(request));
    if (params.get("client_id") !== github.clientId) return [404, { error: "Not Found" }];
    // It answers 200 for what OAuth has 400 for.
    if (params.get("client_secret") !== github.clientSecret) {
      return [200, { error: "incorrect_client_credentials" }];
    }
    if (params.get("redirect_uri") !== github.callback) {
      return [200, { error: "redirect_uri_mismatch" }];
    }
    const code = params.get("code") ?? "";
    const challenge = codes.get(code);
    codes.delete(code);
    const verifier = params.get("code_verifier") ?? "";
    const isProved = challenge === createHash("sha256").update(verifier).digest("base64url");
    if (challenge === undefined || !isProved) return [200, { error: badCode }];
    const token = `gho_${randomUUID()}`;
    tokens.add(token);
    return [200, { access_token: token, scope: "user:email", token_type: "bearer" }];
  };
}

function isReader(request: IncomingMessage, tokens: Set<string>): boolean {
  const { authorization = "", accept, "user-agent": agent } = request.headers;
  const isKnown = authorization.startsWith("Bearer ") && tokens.has(authorization.slice(7));
  return isKnown && accept === "application/vnd.github+json" && agent !== undefined;
}

/** Sends back like the authorization page of GitHub, with PKCE as it takes it: S256 only. */
function authorize(
  github: TestGithub,
  codes: Map<string, string>,
  params: URLSearchParams,
  response: ServerResponse,
): void {
  github.requests.push(params);
  const isGood =
    params.get("client_id") === github.clientId &&
    params.get("redirect_uri") === github.callback &&
    params.get("code_challenge_method") === "S256";
  if (!isGood) return void response.writeHead(404).end();
  const code = randomUUID();
  codes.set(code, params.get("code_challenge") ?? "");
  const back = new URL(github.callback);
  const state = params.get("state") ?? "";
  for (const [name, value] of Object.entries({ code, state, ...github.also })) {
    back.searchParams.set(name, value);
  }
  response.writeHead(302, { location: back.href }).end();
}

/**
 * A server that speaks GitHub's OAuth for web applications and the two places of its REST API that
 * say who somebody is, as their documentation has them, at an Enterprise Server's addresses.
 */
export async function startGithub(callback: string): Promise<TestGithub> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const codes = new Map<string, string>();
  const tokens = new Set<string>();
  const github: TestGithub = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clientId: "Iv1.0123456789abcdef",
    clientSecret: "github-secret",
    callback,
    user: { id: 583_231, login: "octocat", name: "The Octocat", email: "public@example.com" },
    emails: [],
    requests: [],
    also: {},
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  const token = makeToken(github, codes, tokens);

  async function replyTo(request: IncomingMessage, { pathname }: URL): Promise<Reply> {
    if (pathname === "/login/oauth/access_token") return token(request);
    if (!isReader(request, tokens)) return [401, { message: "Requires authentication" }];
    if (pathname === "/api/v3/user") return [200, github.user];
    if (pathname === "/api/v3/user/emails") return [200, github.emails];
    return [404, { message: "Not Found" }];
  }

  server.on("request", (request, response) => {
    const url = new URL(request.url ?? "/", github.issuer);
    if (url.pathname === "/login/oauth/authorize") {
      return authorize(github, codes, url.searchParams, response);
    }
    void replyTo(request, url).then(([status, body]) =>
      response
        .writeHead(status, { "content-type": "application/json; charset=utf-8" })
        .end(JSON.stringify(body)),
    );
  });
  return github;
}
