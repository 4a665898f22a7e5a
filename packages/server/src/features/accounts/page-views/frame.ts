import { themeScriptPolicy } from "../../../kit/theme-script.ts";
import type { Log } from "../../../platform/log.ts";
import type { AccountPage } from "./page.ts";
import { plainLayout, plainStyleSource } from "./plain-layout.ts";

/** The site's own frame for these pages. */
export interface AccountFrame {
  /** Null where the owner's site has none. */
  read(): Promise<{ title: string; render(title: string, content: string): string } | null>;
  /** Whether everybody gets something at this decoded path. */
  isPublic(path: string): Promise<boolean>;
}

/** A page as it is sent. */
export interface SentPage {
  body: string;
  headers: Record<string, string>;
}

/**
 * The policy of a page on which passwords are typed: no script but the one that is known to choose a
 * theme, forms lead to this site only, nobody frames it. Pages of a site may have style attributes;
 * the plain one has one known sheet and no script.
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
 * What a page tells other sites about its address. Browsers send `Origin: null` from a page under
 * `no-referrer`; over plain http they also leave out what shows that it came from here, so there
 * the origin, and nothing of the address, goes along.
 */
function referrerPolicy(page: AccountPage, baseUrl: string): string {
  if (!page.secret) return "same-origin";
  const { protocol, hostname } = new URL(baseUrl);
  const trustworthy = protocol === "https:" || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return trustworthy ? "no-referrer" : "strict-origin";
}

/** Puts a page into the site's frame, or into a plain one where the site has none. */
export async function framePage(
  page: AccountPage,
  options: { frame: AccountFrame; siteName: string; baseUrl: string; log: Pick<Log, "error"> },
): Promise<SentPage> {
  const { frame, siteName, baseUrl, log } = options;
  const shell = await frame.read().catch((error: unknown) => {
    // The account works without the site's looks.
    log.error({ err: error }, "the site's frame for the account can't be read");
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
