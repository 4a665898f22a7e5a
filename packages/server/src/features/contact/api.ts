import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../kit/clock.ts";
import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import { themeScriptPolicy } from "../../kit/theme-script.ts";
import type { Limits } from "../../platform/config.ts";
import type { ClientOf } from "../../platform/http/client-address.ts";
import { registerFormParser } from "../../platform/http/form-body.ts";
import { assertSameOrigin } from "../../platform/http/origin.ts";
import { throttledError } from "../../platform/http/public-throttle.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { makeThrottle, type OpenAttemptLimit, openLocalLimits } from "../../platform/throttle.ts";
import type { WorkerPool } from "../../platform/worker-pool.ts";
import { renderRefusedForm, type FormRefusal } from "./refused-form.ts";
import type { Contact } from "./contact.ts";
import { messageOfForm, maxFormFields } from "./form-body.ts";
import { thanksPage } from "./plain-page.ts";
import { type ContactBody, contactBody, received } from "./schema.ts";

const action = "/api/contact";
const thanks = "/contact/thanks/";
const defaultPage = "/contact/";

export interface ContactRoutes {
  contact: Contact;
  clock: Clock;
  clientOf: ClientOf;
  limits: Limits["contact"];
  /** Where messages are counted; by default, in this process. */
  openLimit?: OpenAttemptLimit;
  baseUrl: string;
  /** The addresses of copies of the site whose contact form leads here. */
  copyOrigins(): Promise<readonly string[]>;
  /** The public page at this address as HTML; null if there is none. */
  page(address: string): Promise<string | null>;
  /** Where rejected forms are put back into pages. */
  workers: WorkerPool;
}

/** Five thousand characters of three bytes each, each byte encoded as `%XX`. */
const bodyLimit = 64 * 1024;

/**
 * Rejected forms of one client that are shown on the site's own page, per minute; further ones get
 * a plain page.
 */
const filledInPerMinute = 20;

/** The submitted fields, in case the form has to be shown again. */
const typed = new WeakMap<FastifyRequest, unknown>();

/** The same response for every message, stored or caught by the honeypot. */
const accepted = ok({ received: true as const });

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "x-robots-tag": "noindex",
  // Pages of a site may have style attributes; the only script that runs is the theme switch.
  "content-security-policy": [
    "default-src 'none'",
    themeScriptPolicy,
    `style-src 'self' 'unsafe-inline'`,
    "img-src 'self' data:",
    "media-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
};

function isForm(request: FastifyRequest): boolean {
  const type = request.headers["content-type"] ?? "";
  return type.toLowerCase().startsWith("application/x-www-form-urlencoded");
}

const schema = {
  tags: ["contact"],
  summary: "Send a message to the owner; a form without script gets a page in return",
  consumes: ["application/json", "application/x-www-form-urlencoded"],
  body: contactBody,
  response: {
    200: envelope(received),
    403: errorEnvelope,
    413: errorEnvelope,
    422: errorEnvelope,
    429: errorEnvelope,
  },
};

/** Whether the hidden field is filled in (abuse 97). */
function isHoneypotFilled(body: unknown): boolean {
  const { website = "" } = (body ?? {}) as { website?: unknown };
  return typeof website !== "string" || website.trim() !== "";
}

function refusalOf(error: unknown): FormRefusal {
  if (error instanceof AppError) return { status: error.status, fields: error.fields ?? {} };
  const { statusCode = 500 } = error as { statusCode?: number };
  return { status: statusCode, fields: {} };
}

/** The path of the page on this site that a request comes from. */
function ownReferrer({ headers }: FastifyRequest): string | null {
  const from = headers.referer === undefined ? null : URL.parse(headers.referer);
  return from !== null && from.host === headers.host ? from.pathname : null;
}

async function sendRefusedForm(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { page, workers, isThrottled }: ContactRoutes & { isThrottled: boolean },
): Promise<FastifyReply> {
  const refusal = refusalOf(error);
  if (refusal.status >= 500) request.log.error({ err: error }, "a message can't be stored");
  if (error instanceof AppError) reply.headers(error.headers ?? {});
  const from = ownReferrer(request);
  const addresses = from === null ? [defaultPage] : [from, defaultPage];
  const pages = isThrottled ? [] : addresses.map((address) => () => page(address));
  const sent = typed.get(request) ?? request.body;
  const body = await renderRefusedForm(refusal, sent, { action, pages, workers });
  return reply.code(refusal.status).headers(pageHeaders).send(body);
}

async function sendThanks(
  request: FastifyRequest,
  reply: FastifyReply,
  { page }: ContactRoutes,
): Promise<FastifyReply> {
  if (!isForm(request)) return reply.send(accepted);
  const shown = await page(thanks).catch(() => null);
  if (shown !== null) return reply.redirect(thanks, 303);
  return reply.headers(pageHeaders).send(thanksPage());
}

/**
 * Refuses forms of other sites, except those of the site's own copies. JSON from another origin is
 * never sent by a browser, because nothing here allows it.
 */
async function assertOwnForm(
  request: FastifyRequest,
  { origins, copyOrigins }: { origins: string[] } & Pick<ContactRoutes, "copyOrigins">,
): Promise<void> {
  const { origin } = request.headers;
  if (origin !== undefined && isForm(request) && !origins.includes(origin)) {
    if ((await copyOrigins()).includes(origin)) return;
  }
  assertSameOrigin(request, origins);
}

/** The limits of messages and of work for rejected ones. The hooks throw `throttled`. */
function makeBounds({
  clock,
  clientOf,
  limits,
  openLimit = openLocalLimits(clock),
}: ContactRoutes) {
  const windowMs = limits.windowMinutes * 60_000;
  const messages = openLimit({ name: "contact client", limit: limits.perClient, windowMs });
  const all = openLimit({ name: "contact", limit: limits.totalPerHour, windowMs: 60 * 60_000 });

  // Filling in a page takes work, and rejected requests are cheap to send.
  const filledIn = makeThrottle({ clock, limit: filledInPerMinute, windowMs: 60_000 });

  async function bound(request: FastifyRequest): Promise<void> {
    const client = clientOf(request);
    if (client.trusted) return;
    const allowance = await messages.take(client.bucket);
    if (!allowance.allowed) throw throttledError(allowance);
  }

  return {
    isOften(request: FastifyRequest): boolean {
      const client = clientOf(request);
      return !client.trusted && !filledIn.take(client.bucket).allowed;
    },
    /** Counts a message for its client. */
    bound,
    /** Counts a message that will be stored, for its client and for all. */
    async boundStored(request: FastifyRequest): Promise<void> {
      await bound(request);
      if (clientOf(request).trusted) return;
      const total = await all.take("all");
      if (!total.allowed) throw throttledError(total);
    },
  };
}

/**
 * POST /api/contact, as JSON or as a form. Forms get pages: a redirect to a thank-you page, or the
 * form again with the input.
 */
export function registerContact(app: AppServer, routes: ContactRoutes): void {
  const { contact, clientOf, baseUrl, copyOrigins } = routes;
  const origins = [new URL(baseUrl).origin];
  const { isOften, bound, boundStored } = makeBounds(routes);

  void app.register(async (routeContext: AppServer) => {
    registerFormParser(routeContext, { maxBytes: bodyLimit, maxFields: maxFormFields });
    routeContext.setErrorHandler(async (error, request, reply) => {
      // Input from another site's form isn't shown on a page of this one.
      const isOurs = !(error instanceof AppError && error.code === "bad_origin");
      if (!isForm(request) || !isOurs) throw error;
      return sendRefusedForm(error, request, reply, { ...routes, isThrottled: isOften(request) });
    });
    routeContext.post(
      action,
      {
        bodyLimit,
        onRequest: async (request, reply) => {
          reply.header("cache-control", "no-store");
          await assertOwnForm(request, { origins, copyOrigins });
        },
        async preValidation(request, reply) {
          if (isHoneypotFilled(request.body)) {
            await bound(request);
            return sendThanks(request, reply, routes);
          }
          if (isForm(request)) {
            typed.set(request, request.body);
            // Validation follows.
            request.body = messageOfForm(request.body) as ContactBody;
          }
          return undefined;
        },
        preHandler: boundStored,
        schema,
      },
      async (request, reply) => {
        const { name, email, message } = request.body;
        const { address } = clientOf(request);
        const userAgent = request.headers["user-agent"] ?? "";
        await contact.receive({ name, email, message }, { address, userAgent });
        return sendThanks(request, reply, routes);
      },
    );
  });
}
