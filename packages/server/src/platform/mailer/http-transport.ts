import { cleanText } from "../../kit/text.ts";
import { type HttpTransport, type Email, parseSender } from "./email.ts";
import { DeliveryError } from "./delivery-error.ts";

interface Call {
  url: string;
  headers: Record<string, string>;
  body: string | URLSearchParams;
}

const json = { "content-type": "application/json", accept: "application/json" };

/** An email's headers besides sender, recipient, and subject (RFC 5322; RFC 3834). */
function headersOf({ messageId }: Email): Record<string, string> {
  const automatic = { "Auto-Submitted": "auto-generated" };
  return messageId === undefined ? automatic : { "Message-ID": messageId, ...automatic };
}

/**
 * Identifies the email for the provider in repeated requests: the Message-ID without its brackets.
 */
function bare(messageId: string): string {
  return messageId.replaceAll(/[<>]/g, "");
}

/**
 * The request for each provider: resend.com/docs/api-reference/emails,
 * postmarkapp.com/developer/api/email-api, documentation.mailgun.com (messages),
 * developers.brevo.com (send a transactional email). Link tracking is off, because it would reveal
 * links and use them up.
 */
const calls: Record<
  HttpTransport["provider"],
  (route: HttpTransport, from: string, message: Email) => Call
> = {
  resend: ({ url, key }, from, message) => ({
    url: url ?? "https://api.resend.com/emails",
    headers: {
      ...json,
      authorization: `Bearer ${key}`,
      ...(message.messageId !== undefined && { "idempotency-key": bare(message.messageId) }),
    },
    body: JSON.stringify({
      from,
      to: [message.to],
      subject: message.subject,
      text: message.text,
      html: message.html,
      reply_to: message.replyTo,
      headers: headersOf(message),
    }),
  }),
  postmark: ({ url, key }, from, message) => ({
    url: url ?? "https://api.postmarkapp.com/email",
    headers: { ...json, "x-postmark-server-token": key },
    body: JSON.stringify({
      From: from,
      To: message.to,
      Subject: message.subject,
      TextBody: message.text,
      HtmlBody: message.html,
      ReplyTo: message.replyTo,
      // Otherwise, it assigns its own Message-ID.
      Headers: Object.entries({ ...headersOf(message), "X-PM-KeepID": "true" }).map(
        ([Name, Value]) => ({ Name, Value }),
      ),
      TrackLinks: "None",
      TrackOpens: false,
    }),
  }),
  mailgun: ({ url, key, domain }, from, message) => ({
    url: `${url ?? "https://api.mailgun.net"}/v3/${encodeURIComponent(domain ?? "")}/messages`,
    headers: { authorization: `Basic ${Buffer.from(`api:${key}`).toString("base64")}` },
    body: new URLSearchParams({
      from,
      to: message.to,
      subject: message.subject,
      text: message.text,
      ...(message.html !== undefined && { html: message.html }),
      ...(message.replyTo !== undefined && { "h:Reply-To": message.replyTo }),
      ...Object.fromEntries(
        Object.entries(headersOf(message)).map(([name, value]) => [`h:${name}`, value]),
      ),
      "o:tracking": "no",
    }),
  }),
  brevo: ({ url, key }, from, message) => {
    const { name, email } = parseSender(from);
    return {
      url: url ?? "https://api.brevo.com/v3/smtp/email",
      headers: { ...json, "api-key": key },
      body: JSON.stringify({
        sender: { email, ...(name !== "" && { name }) },
        to: [{ email: message.to }],
        subject: message.subject,
        textContent: message.text,
        htmlContent: message.html,
        ...(message.replyTo && { replyTo: { email: message.replyTo } }),
        headers: {
          ...headersOf(message),
          ...(message.messageId !== undefined && { idempotencyKey: bare(message.messageId) }),
        },
      }),
    };
  },
  generic: ({ url, key }, from, message) => ({
    url: url ?? "",
    headers: { ...json, authorization: `Bearer ${key}` },
    body: JSON.stringify({ from, ...message }),
  }),
};

/** Time limit of a provider, in ms. */
const timeoutMs = 15_000;
/** Maximum bytes of a response that are read for its reason. */
const maxReadLength = 4096;
const maxRetryAfterMs = 60 * 60 * 1000;

/** Statuses about this particular email; others may be temporary. */
const refusals = new Set([400, 406, 410, 413, 422]);

async function readStart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  if (response.body === null) return text;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxReadLength) break;
  }
  return text;
}

/** The provider's reason on one line; empty without one. */
async function reasonIn(response: Response, key: string): Promise<string> {
  try {
    const body = JSON.parse(await readStart(response)) as Record<string, unknown>;
    const reason = body["message"] ?? body["Message"] ?? body["error"];
    if (typeof reason !== "string") return "";
    const line = cleanText(reason.replaceAll(key, "…")).slice(0, 200);
    return line === "" ? "" : `: ${line}`;
  } catch {
    return "";
  }
}

/** How long the response asks to wait (RFC 9110, section 10.2.3), ms; at most an hour. */
function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get("retry-after") ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds * 1000), maxRetryAfterMs) : 0;
}

function unreachableError(provider: string, error: unknown): DeliveryError {
  const { name, message, cause } = error as Error;
  const late = name === "TimeoutError" || name === "AbortError";
  const words = late ? "no answer in time" : `${message}${causeText(cause)}`.slice(0, 300);
  return new DeliveryError(`${provider}: ${words}`, { cause: error });
}

function causeText(cause: unknown): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === "string" ? ` (${code})` : "";
}

/** Sends an email with a provider. Throws DeliveryError, never with the key in its message. */
export async function sendByHttp(
  route: HttpTransport,
  from: string,
  message: Email,
  { fetch, signal }: { fetch: typeof globalThis.fetch; signal: AbortSignal },
): Promise<void> {
  const { provider, key } = route;
  const { url, headers, body } = calls[provider](route, from, message);
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let response: Response;
  try {
    // A redirect would send the key and the email to another host.
    response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "error",
      signal: within,
    });
  } catch (error) {
    throw unreachableError(provider, error);
  }
  if (response.ok) {
    await response.body?.cancel();
    return;
  }
  const reason = await reasonIn(response, key);
  throw new DeliveryError(`${provider} answered ${response.status}${reason}`, {
    refused: refusals.has(response.status),
    retryAfterMs: retryAfterMs(response),
  });
}
