import { type HttpRoute, type Mail, senderParts } from "./mail.ts";

interface Call {
  url: string;
  headers: Record<string, string>;
  body: string | URLSearchParams;
}

const json = { "content-type": "application/json", accept: "application/json" };

/**
 * What each provider is asked: resend.com/docs/api-reference/emails, postmarkapp.com/developer/api/email-api,
 * documentation.mailgun.com (messages), developers.brevo.com (send a transactional email).
 */
const calls: Record<HttpRoute["provider"], (route: HttpRoute, from: string, mail: Mail) => Call> = {
  resend: ({ url, key }, from, { to, subject, text, replyTo }) => ({
    url: url ?? "https://api.resend.com/emails",
    headers: { ...json, authorization: `Bearer ${key}` },
    body: JSON.stringify({ from, to: [to], subject, text, ...(replyTo && { reply_to: replyTo }) }),
  }),
  postmark: ({ url, key }, from, { to, subject, text, replyTo }) => ({
    url: url ?? "https://api.postmarkapp.com/email",
    headers: { ...json, "x-postmark-server-token": key },
    body: JSON.stringify({
      From: from,
      To: to,
      Subject: subject,
      TextBody: text,
      ...(replyTo && { ReplyTo: replyTo }),
    }),
  }),
  mailgun: ({ url, key, domain }, from, { to, subject, text, replyTo }) => ({
    url: `${url ?? "https://api.mailgun.net"}/v3/${encodeURIComponent(domain ?? "")}/messages`,
    headers: { authorization: `Basic ${Buffer.from(`api:${key}`).toString("base64")}` },
    body: new URLSearchParams({
      from,
      to,
      subject,
      text,
      ...(replyTo && { "h:Reply-To": replyTo }),
    }),
  }),
  brevo: ({ url, key }, from, { to, subject, text, replyTo }) => {
    const { name, email } = senderParts(from);
    return {
      url: url ?? "https://api.brevo.com/v3/smtp/email",
      headers: { ...json, "api-key": key },
      body: JSON.stringify({
        sender: { email, ...(name !== "" && { name }) },
        to: [{ email: to }],
        subject,
        textContent: text,
        ...(replyTo && { replyTo: { email: replyTo } }),
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

/** Hands a mail to a provider. Throws an Error in plain words, without the key, when it isn't taken. */
export async function sendByHttp(
  route: HttpRoute,
  from: string,
  mail: Mail,
  fetch: typeof globalThis.fetch,
): Promise<void> {
  const { url, headers, body } = calls[route.provider](route, from, mail);
  const signal = AbortSignal.timeout(patience);
  // A redirect would carry the key and the mail to another host.
  const answer = await fetch(url, { method: "POST", headers, body, redirect: "error", signal });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`${route.provider} answered ${answer.status}`);
}
