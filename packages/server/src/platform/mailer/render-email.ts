import { AppError } from "../../kit/errors.ts";
import { html, type Markup } from "../../kit/html.ts";
import { cleanText } from "../../kit/text.ts";
import type { EmailContent } from "./outgoing-email.ts";

/** The site that an email comes from. */
export interface EmailSite {
  /** The site's address, only from the configuration. */
  baseUrl: string;
  name: string;
}

interface Rendered {
  text: string;
  html: string;
}

/** The address of a path of this site. Throws `internal` if it would lead anywhere else. */
function ownAddress(path: string, baseUrl: string): string {
  const { origin } = new URL(baseUrl);
  const address = path.startsWith("/") ? URL.parse(path, baseUrl) : null;
  if (address?.origin !== origin) {
    throw new AppError("internal", "A mail's link leads to no path of this site.");
  }
  return address.href;
}

function clean(content: EmailContent, site: EmailSite) {
  const { quote, action, footnote } = content;
  const long = (text: string) => cleanText(text, { multiline: true });
  return {
    paragraphs: content.paragraphs.map(long),
    quote: quote === undefined ? null : long(quote),
    action: action && {
      label: cleanText(action.label),
      url: ownAddress(action.path, site.baseUrl),
    },
    footnote: footnote === undefined ? null : long(footnote),
    siteName: cleanText(site.name),
  };
}

type Clean = ReturnType<typeof clean>;

function textOf({ paragraphs, quote, action, footnote, siteName }: Clean): string {
  const quoted = quote?.split("\n").map((line) => (line === "" ? ">" : `> ${line}`));
  const parts = [
    ...paragraphs,
    ...(quoted ? [quoted.join("\n")] : []),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    // Where a signature begins (RFC 3676, section 4.3).
    ["-- ", siteName, ...(footnote === null ? [] : [footnote])].join("\n"),
  ];
  return `${parts.join("\n\n")}\n`;
}

const letters = "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";
const button =
  "display:inline-block;padding:12px 20px;border-radius:6px;background:#1d4ed8;color:#ffffff;font-weight:600;text-decoration:none";

/** A text with its line breaks as markup. */
function lines(text: string): Markup[] {
  return text.split("\n").map((line, at) => (at === 0 ? html`${line}` : html`<br />${line}`));
}

function quoteOf({ quote }: Clean): Markup | null {
  if (quote === null) return null;
  const style = "margin:0 0 16px;padding:0 0 0 12px;border-left:3px solid #7a7a7a";
  return html`<blockquote style="${style}">${lines(quote)}</blockquote>`;
}

function actionOf({ action }: Clean): Markup | null {
  if (action === undefined) return null;
  const { label, url } = action;
  return html`<p style="margin:24px 0"><a href="${url}" style="${button}">${label}</a></p>
    <p style="margin:0 0 16px;font-size:14px">
      Or open this address: <span style="word-break:break-all">${url}</span>
    </p>`;
}

/**
 * Colors are left to the email program, which knows whether it is dark; the button is readable on
 * either background.
 */
function htmlOf(subject: string, email: Clean): string {
  const { footnote, siteName } = email;
  const small = footnote === null ? null : html`<br />${lines(footnote)}`;
  const end = "margin:32px 0 0;padding:16px 0 0;border-top:1px solid #7a7a7a;font-size:14px";
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${subject}</title>
      </head>
      <body style="margin:0;padding:24px 16px;${letters}">
        <main style="max-width:560px;margin:0 auto">
          <h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${subject}</h1>
          ${email.paragraphs.map((text) => html`<p style="margin:0 0 16px">${lines(text)}</p>`)}
          ${quoteOf(email)} ${actionOf(email)}
          <p style="${end}"><strong>${siteName}</strong>${small}</p>
        </main>
      </body>
    </html> `.text.replaceAll(/\n\s*/g, "\n");
}

/**
 * Renders an email as text and HTML. Everything is escaped, and links lead only to this site,
 * whatever a request contains.
 */
export function renderEmail(site: EmailSite, subject: string, content: EmailContent): Rendered {
  const email = clean(content, site);
  return { text: textOf(email), html: htmlOf(subject, email) };
}
