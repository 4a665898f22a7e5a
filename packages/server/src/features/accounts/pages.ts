import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../kit/clock.ts";
import { AppError, type ErrorCode, toAppError } from "../../kit/errors.ts";
import { localPath } from "../../kit/local-path.ts";
import type { ClientOf } from "../../platform/http/client-address.ts";
import { registerFormParser } from "../../platform/http/form-body.ts";
import { assertSameOriginRead, assertSameOrigin } from "../../platform/http/origin.ts";
import { throttledError } from "../../platform/http/public-throttle.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { makeThrottle } from "../../platform/throttle.ts";
import type { AccountGuard } from "./guard.ts";
import type { AccountActionsDependencies, FormRequest, Outcome } from "./page-views/action.ts";
import { makeAccountActions } from "./page-views/actions.ts";
import { type AccountFrame, framePage } from "./page-views/frame.ts";
import type { AccountPage, FormValues } from "./page-views/page.ts";
import { redirectPage, errorPage } from "./page-views/error-pages.ts";
import { accountViews } from "./page-views/views.ts";

export interface AccountPagesDependencies extends AccountActionsDependencies {
  guard: Pick<AccountGuard, "find" | "cookie">;
  frame: AccountFrame;
  clientOf: ClientOf;
  clock: Clock;
  baseUrl: string;
  /** The site's name: its owner's name. */
  siteName: string;
  /** Requests to these pages that one client can make per minute. */
  perMinute: number;
}

/** Forms without a page at their own address. */
const formsOnly = [
  "signin",
  "signout",
  "signup",
  "join",
  "resend",
  "forgot",
  "password",
  "sessions",
  "link/:id",
  "unlink/:id",
];
const formsWithPage = ["verify", "reset", "delete"];
const formBounds = { maxBytes: 8 * 1024, maxFields: 16 };

/** The texts of a query or form, without duplicate keys and values that aren't text. */
function textsOf(from: unknown): FormValues {
  const entries = Object.entries((from ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** Pages that nobody should return to. */
const excludedReturnPaths = /^\/(account|admin|api|devconsole|_preview)(?=[/?#]|$)/;

/** The path to redirect to after a form, if it is a path of this site (abuse 37). */
function returnPath(value: unknown): string | null {
  const path = localPath(value);
  return path === null || excludedReturnPaths.test(path) ? null : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The page a visitor came from, if signing in may show more there than everybody sees. */
async function refererPath(request: FastifyRequest, frame: AccountFrame): Promise<string | null> {
  const { referer, host } = request.headers;
  if (referer === undefined || !URL.canParse(referer)) return null;
  const url = new URL(referer);
  const path = url.host === host ? returnPath(url.pathname + url.search) : null;
  if (path === null) return null;
  const shown = await frame.isPublic(decoded(url.pathname)).catch(() => true);
  return shown ? null : path;
}

/** The values of a form or an address, and the user who sent them. */
async function readForm(
  request: FastifyRequest,
  deps: AccountPagesDependencies,
  values: FormValues,
): Promise<FormRequest> {
  const client = deps.clientOf(request);
  const given = returnPath(values["return_to"]);
  const params = textsOf(request.params);
  return {
    values,
    who: await deps.guard.find(request),
    visitor: { ...client, userAgent: request.headers["user-agent"] ?? "" },
    returnTo: given ?? (request.method === "GET" ? await refererPath(request, deps.frame) : null),
    id: params["id"] ?? "",
  };
}

async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: AccountPagesDependencies,
  page: AccountPage,
  status: number,
): Promise<FastifyReply> {
  const { frame, siteName, baseUrl } = deps;
  const sent = await framePage(page, { frame, siteName, baseUrl, log: request.log });
  return reply.code(status).headers(sent.headers).send(sent.body);
}

function sendOutcome(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: AccountPagesDependencies,
  outcome: Outcome,
): Promise<FastifyReply> | FastifyReply {
  const { cookie } = deps.guard;
  if (outcome.kind === "page") {
    reply.headers(outcome.headers ?? {});
    return sendPage(request, reply, deps, outcome.page, outcome.status);
  }
  if (outcome.kind === "away") {
    reply.header("set-cookie", outcome.cookie);
    return sendPage(request, reply, deps, redirectPage(outcome.to), 200);
  }
  if (outcome.starts) reply.header("set-cookie", cookie.issue(outcome.starts.cookieValue));
  if (outcome.ends) reply.header("set-cookie", cookie.clear());
  return reply.header("cache-control", "no-store").redirect(outcome.to, 303);
}

const codeOfStatus: Readonly<Record<number, ErrorCode>> = {
  413: "too_large",
  415: "unsupported_media_type",
};

/** Fastify's own errors with our messages; unexpected errors stay as they are. */
function normalizeError(error: unknown): AppError {
  const { statusCode = 500, message = "" } = error as { statusCode?: number; message?: string };
  if (error instanceof AppError || statusCode >= 500) return toAppError(error);
  return new AppError(codeOfStatus[statusCode] ?? "bad_request", message, { cause: error });
}

/** Shows errors as pages, because people read them. */
function registerErrorPages(app: AppServer, deps: AccountPagesDependencies): void {
  app.setErrorHandler(async (error, request, reply) => {
    const refusal = normalizeError(error);
    if (refusal.status >= 500) request.log.error({ err: error }, "an account page failed");
    reply.headers(refusal.headers ?? {});
    return sendPage(request, reply, deps, errorPage(refusal, request.id), refusal.status);
  });
}

/** Limits requests, so that links and passwords can't be guessed. */
function registerRateLimits(app: AppServer, deps: AccountPagesDependencies): void {
  const { clock, clientOf, perMinute } = deps;
  const throttle = makeThrottle({ clock, limit: perMinute, windowMs: 60_000 });
  app.addHook("onRequest", async (request) => {
    const client = clientOf(request);
    const allowance = client.trusted ? null : throttle.take(client.bucket);
    if (allowance && !allowance.allowed) throw throttledError(allowance);
  });
}

/** All data stored about the signed-in user, as a file. */
function registerData(app: AppServer, deps: AccountPagesDependencies, origins: string[]): void {
  app.get("/account/data", { schema: { hide: true } }, async (request, reply) => {
    assertSameOriginRead(request, origins);
    const who = await deps.guard.find(request);
    reply.header("cache-control", "no-store");
    if (!who) return reply.redirect("/account", 303);
    const data = await deps.accounts.exportData(who);
    reply.header("content-disposition", 'attachment; filename="my-account.json"');
    return reply.type("application/json; charset=utf-8").send(JSON.stringify(data, null, 2));
  });
}

/**
 * The account pages, which work without JavaScript: /account, /account/new, /account/verify,
 * /account/reset, and /account/delete, and the forms that post to /account/<action> and redirect
 * with 303 or are shown again with errors.
 */
export function registerAccountPages(app: AppServer, deps: AccountPagesDependencies): void {
  const origins = [new URL(deps.baseUrl).origin];
  const { context, submit } = makeAccountActions(deps);

  void app.register(async (pages: AppServer) => {
    pages.removeAllContentTypeParsers();
    registerFormParser(pages, formBounds);
    registerErrorPages(pages, deps);
    registerRateLimits(pages, deps);
    registerData(pages, deps, origins);

    for (const [path, view] of Object.entries(accountViews(context))) {
      // The site's own addresses end with a slash, so links may do so here, too.
      for (const url of [path, `${path}/`]) {
        pages.get(url, { schema: { hide: true } }, async (request, reply) => {
          const formRequest = await readForm(request, deps, textsOf(request.query));
          return sendOutcome(request, reply, deps, await view(formRequest));
        });
      }
    }
    for (const form of [...formsOnly, ...formsWithPage]) {
      const name = form.split("/", 1)[0] ?? form;
      const onRequest = async (request: FastifyRequest) => assertSameOrigin(request, origins);
      pages.post(
        `/account/${form}`,
        { schema: { hide: true }, onRequest },
        async (request, reply) => {
          const formRequest = await readForm(request, deps, textsOf(request.body));
          return sendOutcome(request, reply, deps, await submit(name, formRequest));
        },
      );
    }
    for (const form of formsOnly) {
      pages.get(`/account/${form}`, { schema: { hide: true } }, async () => {
        const headers = { allow: "POST" };
        throw new AppError("method_not_allowed", "Submit this form from its page.", { headers });
      });
    }
  });
}
