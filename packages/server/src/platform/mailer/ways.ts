import type { Log } from "../log.ts";
import { sendByHttp } from "./http-route.ts";
import type { Mail, MailRoutes } from "./mail.ts";
import { NotTaken } from "./not-taken.ts";
import { sendBySmtp } from "./smtp-route.ts";

/** How one try to send a mail went. */
export interface Try {
  /** What has taken it; null when nothing has. */
  by: "http" | "smtp" | null;
  /** Why the ways before that, or all of them, have not taken it. */
  failures: string[];
  /** Nothing has taken it, and all that is set refuses this very mail. */
  refused: boolean;
  /** Nothing is set that could take it. */
  nowhere: boolean;
  /** How long not to try again, ms. */
  retryAfterMs: number;
}

export interface WaysOptions {
  /** How mail leaves now; null while nothing is set. */
  routes: () => Promise<MailRoutes | null>;
  log: Log;
  fetch: typeof globalThis.fetch;
}

type Way = { by: "http" | "smtp"; go: () => Promise<void> };

function waysOf(set: MailRoutes, mail: Mail, fetch: typeof globalThis.fetch, signal: AbortSignal) {
  const { http, smtp, from } = set;
  const ways: Way[] = [];
  if (http) ways.push({ by: "http", go: () => sendByHttp(http, from, mail, { fetch, signal }) });
  if (smtp) ways.push({ by: "smtp", go: () => sendBySmtp(smtp, from, mail, signal) });
  return ways;
}

/** Tries once to send a mail: by the provider's HTTP API, then by SMTP. Never throws. */
export async function trySending(
  options: WaysOptions,
  mail: Mail,
  signal: AbortSignal,
): Promise<Try> {
  const { log } = options;
  const failures: string[] = [];
  let ways: Way[];
  try {
    const set = await options.routes();
    ways = set === null ? [] : waysOf(set, mail, options.fetch, signal);
  } catch (error) {
    log.error({ err: error }, "it can't be read how mail leaves");
    failures.push("it can't be read how mail leaves");
    return { by: null, failures, refused: false, nowhere: false, retryAfterMs: 0 };
  }
  let refused = ways.length > 0;
  let retryAfterMs = 0;
  for (const { by, go } of ways) {
    try {
      await go();
      return { by, failures, refused: false, nowhere: false, retryAfterMs: 0 };
    } catch (error) {
      const why = error instanceof NotTaken ? error : new NotTaken(`${by}: ${String(error)}`);
      log.warn({ err: why, by }, "a mail was not taken");
      failures.push(why.message);
      refused &&= why.refused;
      retryAfterMs = Math.max(retryAfterMs, why.retryAfterMs);
    }
  }
  return { by: null, failures, refused, nowhere: ways.length === 0, retryAfterMs };
}
