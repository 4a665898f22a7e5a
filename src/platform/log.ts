import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

const secretKeys = ["password", "token", "secret", "apiKey", "authorization", "cookie", "claim"];
const redactPaths = secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

const secretLink = /((?:\/|%2f)admin(?:\/|%2f)+)[^/?#\s"]{12,}/gi;
// Some programs write the tilde as %7E: such an address is refused, but its ticket is good.
const previewTicket = /(\/(?:~|%7e))[^/?#\s"]{12,}/gi;

/** A character as it may stand in an address: itself, or encoded, once or more often. */
const spelled = (character: string): string =>
  `(?:${character}|%(?:25)*${character.charCodeAt(0).toString(16)})`;
// `vl_` (sign-in links) and `vit_` (bearer tokens), wherever they are and whatever stands before them.
const kind = `(?:${spelled("l")}|${spelled("i")}${spelled("t")})`;
const token = new RegExp(`${spelled("v")}${kind}${spelled("_")}[^/?#&\\s"'\\\\<>]{12,}`, "gi");

/** Takes sign-in links, preview tickets and tokens out of a text that goes to the log. */
export function redactText(text: string): string {
  return text
    .replace(secretLink, "$1[redacted]")
    .replace(previewTicket, "$1[redacted]")
    .replace(token, "[redacted]");
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
