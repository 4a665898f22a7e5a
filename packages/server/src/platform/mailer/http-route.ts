import { cleanText } from "../../kit/text.ts";
import { type HttpRoute, type Mail, senderParts } from "./mail.ts";
import { NotTaken } from "./not-taken.ts";

interface Call {
  url: string;
  headers: Record<string, string>;
  body: string | URLSearchParams;
}

const json = { "content-type": "application/json", accept: "application/json" };

/** What a mail's head has beside sender, recipient and subject (RFC 5322; RFC 3834). */
function headersOf({ messageId }: Mail): Record<string, string> {
  const automatic = { "Auto-Submitted": "auto-generated" };
  return messageId === undefined ? automatic : { "Message-ID": messageId, ...automatic };
}

/** What tells a provider that it has been asked for this mail before: the Message-ID without its frame. */
function bare(messageId: string): string {
  return messageId.replaceAll(/[<>]/g, "");
}

/**
 * What each provider is asked: resend.com/docs/api-reference/emails, postmarkapp.com/developer/api/email-api,
 * documentation.mailgun.com (messages), developers.brevo.com (send a transactional email). None may
 * lead links over an address of its own: it would read them, and use them up.
 */
const calls: Record<HttpRoute["provider"], (route: HttpRoute, from: string, mail: Mail) => Call> = {
  resend: ({ url, key }, from, mail) => ({
    url: url ?? "https://api.resend.com/emails",
    headers: {
      ...json,
      authorization: `Bearer ${key}`,
      ...(mail.messageId !== undefined && { "idempotency-key": bare(mail.messageId) }),
    },
    body: JSON.stringify({
      from,
      to: [mail.to],
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      reply_to: mail.replyTo,
      headers: headersOf(mail),
    }),
  }),
  postmark: ({ url, key }, from, mail) => ({
    url: url ?? "https://api.postmarkapp.com/email",
    headers: { ...json, "x-postmark-server-token": key },
    body: JSON.stringify({
      From: from,
      To: mail.to,
      Subject: mail.subject,
      TextBody: mail.text,
      HtmlBody: mail.html,
      ReplyTo: mail.replyTo,
      // Else it gives the mail a Message-ID of its own.
      Headers: Object.entries({ ...headersOf(mail), "X-PM-KeepID": "true" }).map(
        ([Name, Value]) => ({ Name, Value }),
      ),
      TrackLinks: "None",
      TrackOpens: false,
    }),
  }),
  mailgun: ({ url, key, domain }, from, mail) => ({
    url: `${url ?? "https://api.mailgun.net"}/v3/${encodeURIComponent(domain ?? "")}/messages`,
    headers: { authorization: `Basic ${Buffer.from(`api:${key}`).toString("base64")}` },
    body: new URLSearchParams({
      from,
      to: mail.to,
      subject: mail.subject,
      text: mail.text,
      ...(mail.html !== undefined && { html: mail.html }),
      ...(mail.replyTo !== undefined && { "h:Reply-To": mail.replyTo }),
      ...Object.fromEntries(
        Object.entries(headersOf(mail)).map(([name, value]) => [`h:${name}`, value]),
      ),
      "o:tracking": "no",
    }),
  }),
  brevo: ({ url, key }, from, mail) => {
    const { name, email } = senderParts(from);
    return {
      url: url ?? "https://api.brevo.com/v3/smtp/email",
      headers: { ...json, "api-key": key },
      body: JSON.stringify({
        sender: { email, ...(name !== "" && { name }) },
        to: [{ email: mail.to }],
        subject: mail.subject,
        textContent: mail.text,
        htmlContent: mail.html,
        ...(mail.replyTo && { replyTo: { email: mail.replyTo } }),
        headers: {
          ...headersOf(mail),
          ...(mail.messageId !== undefined && { idempotencyKey: bare(mail.messageId) }),
        },
      }),
    };
  },
  generic: ({ url, key }, from, mail) => ({
    url: url ?? "",
    headers: { ...json, authorization: `Bearer ${key}` },
    body: JSON.stringify({ from, ...mail }),
  }),
};

/** How long a provider may take, in ms. */
const patience = 15_000;
/** As much of an answer is read for its reason, in bytes. */
const mostRead = 4096;
const longestRetryAfterMs = 60 * 60 * 1000;

/** Answers that are about this very mail; any other can be another one the next time. */
const refusals = new Set([400, 406, 410, 413, 422]);

async function beginningOf(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  if (answer.body === null) return text;
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > mostRead) break;
  }
  return text;
}

/** What a provider says of why, in one line; empty when it says nothing. */
async function reasonIn(answer: Response, key: string): Promise<string> {
  try {
    const body = JSON.parse(await beginningOf(answer)) as Record<string, unknown>;
    const reason = body["message"] ?? body["Message"] ?? body["error"];
    if (typeof reason !== "string") return "";
    const line = cleanText(reason.replaceAll(key, "…")).slice(0, 200);
    return line === "" ? "" : `: ${line}`;
  } catch {
    return "";
  }
}

/** How long the answer asks to wait (RFC 9110, section 10.2.3), ms; an hour at most. */
function retryAfterMs(answer: Response): number {
  const seconds = Number(answer.headers.get("retry-after") ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds * 1000), longestRetryAfterMs) : 0;
}

function unreached(provider: string, error: unknown): NotTaken {
  const { name, message, cause } = error as Error;
  const late = name === "TimeoutError" || name === "AbortError";
  const words = late ? "no answer in time" : `${message}${reachWords(cause)}`.slice(0, 300);
  return new NotTaken(`${provider}: ${words}`, { cause: error });
}

function reachWords(cause: unknown): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === "string" ? ` (${code})` : "";
}

/** Hands a mail to a provider. Throws NotTaken, without the key in its words. */
export async function sendByHttp(
  route: HttpRoute,
  from: string,
  mail: Mail,
  { fetch, signal }: { fetch: typeof globalThis.fetch; signal: AbortSignal },
): Promise<void> {
  const { provider, key } = route;
  const { url, headers, body } = calls[provider](route, from, mail);
  const within = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  let answer: Response;
  try {
    // A redirect would carry the key and the mail to another host.
    answer = await fetch(url, { method: "POST", headers, body, redirect: "error", signal: within });
  } catch (error) {
    throw unreached(provider, error);
  }
  if (answer.ok) {
    await answer.body?.cancel();
    return;
  }
  const reason = await reasonIn(answer, key);
  throw new NotTaken(`${provider} answered ${answer.status}${reason}`, {
    refused: refusals.has(answer.status),
    retryAfterMs: retryAfterMs(answer),
  });
}
