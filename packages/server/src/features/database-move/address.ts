import { AppError } from "../../kit/errors.ts";
import { databaseLocation } from "../../platform/db/dump.ts";

const scheme = /^postgres(?:ql)?:\/\//;

/**
 * The address of the PostgreSQL database that the records go to, as given. Throws `bad_request` for
 * other addresses, without repeating them: they may contain a password.
 */
export function checkAddress(url: string): string {
  try {
    if (scheme.test(url) && !databaseLocation(url).endsWith("/")) return url;
  } catch {
    // The message of the driver would repeat it.
  }
  throw new AppError("bad_request", "The address must be like postgres://USER@HOST/DATABASE.");
}

/** Whether an address has a password, which everybody on this machine sees in arguments. */
export function hasPassword(url: string): boolean {
  return /^[^/]*\/\/[^/?#]*:[^/?#]*@/.test(url) || /[?&]password=/i.test(url);
}

/** What the owner calls a database: the server and name of PostgreSQL's, or the file. */
export function placeName({ url }: { url: string | null }): string {
  return url === null ? "SQLite (data/vitrine.db)" : `PostgreSQL (${databaseLocation(url)})`;
}
