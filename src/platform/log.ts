import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

const secretKeys = ["password", "token", "secret", "apiKey", "authorization", "cookie", "claim"];
const redactPaths = secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

const secretLink = /(\/admin\/)[^/?#\s"]{12,}/g;
// Some programs write the tilde as %7E: such an address is refused, but its ticket is good.
const previewTicket = /(\/(?:~|%7e))[^/?#\s"]{12,}/gi;
const bearer = /\bvi[tl]_[A-Za-z0-9_-]{20,}/g;

/** Takes sign-in links, preview tickets and tokens out of a text that goes to the log. */
export function redactText(text: string): string {
  return text
    .replace(secretLink, "$1[redacted]")
    .replace(previewTicket, "$1[redacted]")
    .replace(bearer, "[redacted]");
}

/** Structured log, one JSON object a line, on stderr unless a destination is given. */
export function createLog(options: {
  level: string;
  name: string;
  destination?: DestinationStream;
}): Log {
  return pino(
    {
      level: options.level,
      name: options.name,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redactPaths, censor: "[redacted]" },
      hooks: { streamWrite: redactText },
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
}
