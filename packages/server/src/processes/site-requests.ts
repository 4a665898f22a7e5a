import { proxiedPath } from "../features/admin-auth/proxied-path.ts";
import { makePreparedResponses } from "../features/release/site/prepared-responses.ts";
import type { SiteLookup } from "../features/release/site/public-site.ts";
import type { SiteFiles } from "../features/release/site/site-files.ts";
import type { AccessLog } from "../platform/access-log.ts";
import type { ClientOf } from "../platform/http/client-address.ts";
import { defaultHeaders } from "../platform/http/http-defaults.ts";
import { isReservedPath } from "../platform/http/methods.ts";
import { makeHostCheck } from "../platform/http/origin.ts";
import { makePreparedSender } from "../platform/http/prepared-sender.ts";
import { type AppServer, respondFirst } from "../platform/http/server.ts";
import type { UnreadResponses } from "../platform/http/unread-responses.ts";

/** Pages that web makes for each visitor; the release holds only their frame. */
const webPages = /^\/account(?:\/|$)/;

/** Whether a decoded path is one that the public site answers, and not web or the runner. */
export function isSitePath(path: string): boolean {
  return proxiedPath(path) === "open" && !isReservedPath(path) && !webPages.test(path);
}

/** Whether a page may be another one for whoever sends this Cookie header: the admin's has the console. */
export function isPersonal(cookie: string): boolean {
  return cookie.includes("vitrine_admin");
}

/** Whether whoever sends this Cookie header gets what everybody gets there. */
export function isForEverybody(found: SiteLookup, cookie: string): boolean {
  // Where the public site has nothing, somebody who is known may have something of their own.
  if (found === "missing") return false;
  return "moved" in found || !found.file.page || !isPersonal(cookie);
}

export interface MemoryResponseOptions {
  baseUrl: string;
  site: SiteFiles;
  clientOf: ClientOf;
  unread: UnreadResponses;
  accessLog: AccessLog;
}

/** Has a server answer what of the public site is in memory before its router and its hooks see a request. */
export function respondFromMemory(app: AppServer, options: MemoryResponseOptions): void {
  const { baseUrl, site, clientOf, unread, accessLog } = options;
  const headers = defaultHeaders(baseUrl.startsWith("https:"));
  const send = makePreparedSender({
    find: makePreparedResponses({ ...site, headers, isSitePath, isPersonal }),
    isAllowedHost: makeHostCheck({ names: [new URL(baseUrl).host], anyAddress: true }),
    addressOf: (request) => clientOf(request).address,
    unread,
    accessLog,
  });
  let isClosing = false;
  app.addHook("preClose", (done) => {
    isClosing = true;
    done();
  });
  // While it closes, whoever is answered keeps no connection: a hook sees to that.
  respondFirst(app.server, (request, response) => !isClosing && send(request, response));
}
