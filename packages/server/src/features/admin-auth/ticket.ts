import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { lookup } from "mrmime";
import type { Clock } from "../../kit/clock.ts";
import { safeEqual } from "../../kit/hash.ts";
import type { Db } from "../../platform/db/connect.ts";
import { makeSessions } from "./sessions.ts";
import { makeSteadyClock } from "../../platform/steady-clock.ts";

/**
 * Tickets for files of a previewed page. The page has an opaque origin, so browsers send no cookie
 * when they load its style sheets, scripts, fonts, and media. The addresses of these files contain
 * a ticket instead: `/_preview/<runId>/~<ticket>/…`. A ticket never opens a page.
 */
export interface PreviewTickets {
  /** Creates a ticket for one run and a live session (`request.admin.sessionHash`). */
  issue(runId: string, sessionHash: string): string;
  /** Whether a ticket is for this run and unexpired, and its session is still alive. */
  verify(runId: string, ticket: string): Promise<boolean>;
  /** The same for the path and query of a request; false if its path contains no ticket. */
  verifyUrl(url: string): Promise<boolean>;
}

/** A ticket's maximum lifetime, ms; pages load their files well within it. */
const lifetime = 10 * 60_000;

const shape = /^([0-9a-z]{8,9})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/;
const address = /^\/_preview\/([^/?#]{1,64})\/~([^/?#]{1,200})(?:[/?]|$)/;

const openTypes =
  /^(?:text\/(?:css|javascript)|application\/(?:javascript|wasm)|(?:font|image|video|audio)\/)/;
/**
 * Values of Sec-Fetch-Dest for files; everything else, such as a tab or a frame, shows a document.
 */
const fileDestinations = new Set([
  "audio",
  "empty",
  "font",
  "image",
  "script",
  "style",
  "track",
  "video",
  "worker",
]);

/** Whether tickets open files of this content type: style sheets, scripts, fonts, and media. */
export function opensByTicket(type: string): boolean {
  return openTypes.test(type);
}

/**
 * Whether a request is for a file that tickets open, at an address with a ticket, valid or not.
 * False for everything shown as a document, which needs the session.
 */
export function isTicketed(request: {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
}): boolean {
  const { method, url, headers } = request;
  if ((method !== "GET" && method !== "HEAD") || !address.test(url)) return false;
  const destination = headers["sec-fetch-dest"] ?? "empty";
  if (!fileDestinations.has(String(destination))) return false;
  return opensByTicket(lookup(url.split("?", 1)[0] ?? "") ?? "");
}

/**
 * A ticket is `<expiry, ms in base 36>.<session hash>.<HMAC-SHA256 over both and the run>`. Nothing
 * is stored; signing out or changing a secret ends the session and all its tickets.
 */
export function makePreviewTickets(options: { key: string; db: Db; clock: Clock }): PreviewTickets {
  const { key, db, clock } = options;
  const sessions = makeSessions({ db, clock });
  const steady = makeSteadyClock(clock);

  function sign(runId: string, expires: string, session: string): string {
    return createHmac("sha256", key)
      .update(JSON.stringify(["preview", runId, expires, session]))
      .digest("base64url");
  }

  async function verify(runId: string, ticket: string): Promise<boolean> {
    const [, expires = "", session = "", mac = ""] = shape.exec(ticket) ?? [];
    if (mac === "" || !safeEqual(mac, sign(runId, expires, session))) return false;
    if (parseInt(expires, 36) <= steady.now()) return false;
    return sessions.isAlive(Buffer.from(session, "base64url").toString("hex"));
  }

  return {
    issue(runId, sessionHash) {
      const expires = (steady.now() + lifetime).toString(36);
      const session = Buffer.from(sessionHash, "hex").toString("base64url");
      return `${expires}.${session}.${sign(runId, expires, session)}`;
    },
    verify,
    async verifyUrl(url) {
      const [, runId, ticket] = address.exec(url) ?? [];
      return runId !== undefined && ticket !== undefined && verify(runId, ticket);
    },
  };
}
