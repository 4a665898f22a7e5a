import { themeScriptPolicy } from "../../../kit/theme-script.ts";
import type { Log } from "../../../platform/log.ts";
import type { AccountPage } from "./page.ts";
import { plainLayout, plainStyleSource } from "./plain-layout.ts";

/** The site's own layout for the account pages. */
export interface AccountFrame {
  /** Null if the site has none. */
  read(): Promise<{ title: string; render(title: string, content: string): string } | null>;
  /** Whether everybody can open this decoded path. */
  isPublic(path: string): Promise<boolean>;
}

/** A rendered page. */
export interface SentPage {
  body: string;
  headers: Record<string, string>;
}

/**
 * The content security policy of a page with password fields: no script except the known theme
 * switch, forms post only to this site, no framing. Pages of a site may have style attributes; the
 * plain layout has one known style sheet and no script.
 */
function policy(framed: boolean): string {
  const style = framed ? "style-src 'self' 'unsafe-inline'" : `style-src ${plainStyleSource}`;
  return [
    "default-src 'none'",
    style,
    ...(framed
      ? [themeScriptPolicy, "img-src 'self' data:", "media-src 'self'", "font-src 'self'"]
      : ["img-src data:"]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/**
 * The Referrer-Policy of a page. Browsers send `Origin: null` from a page with `no-referrer`. Over
 * plain http, they also omit the headers that show where a request came from, so there the origin
 * is sent, but never the path.
 */
function referrerPolicy(page: AccountPage, baseUrl: string): string {
  if (!page.secret) return "same-origin";
  const { protocol, hostname } = new URL(baseUrl);
  const trustworthy = protocol === "https:" || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return trustworthy ? "no-referrer" : "strict-origin";
}

/** Puts a page into the site's layout, or into a plain one if the site has none. */
export async function framePage(
  page: AccountPage,
  options: { frame: AccountFrame; siteName: string; baseUrl: string; log: Pick<Log, "error"> },
): Promise<SentPage> {
  const { frame, siteName, baseUrl, log } = options;
  const shell = await frame.read().catch((error: unknown) => {
    // The account pages work without the site's layout.
    log.error({ err: error }, "the page around the account pages can't be read");
    return null;
  });
  const { title, content } = page;
  const body = shell
    ? shell.render(`${title} · ${shell.title}`, content.text)
    : plainLayout(siteName, title, content);
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "x-robots-tag": "noindex, nofollow",
    "x-frame-options": "DENY",
    "referrer-policy": referrerPolicy(page, baseUrl),
    "content-security-policy": policy(shell !== null),
    ...(page.redirectTo === undefined ? {} : { refresh: `0; url=${page.redirectTo}` }),
  };
  return { body, headers };
}
