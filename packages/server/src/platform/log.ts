import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

const secretKeys = ["password", "token", "secret", "apiKey", "authorization", "cookie", "claim"];
const redactPaths = secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

const secretLink = /((?:\/|%2f)admin(?:\/|%2f)+)[^/?#\s"]{12,}/gi;
// Some programs encode the tilde as %7E: such an address is refused, but its ticket is valid.
const previewTicket = /(\/(?:~|%7e))[^/?#\s"]{12,}/gi;

/** A character in an address, plain or encoded, even repeatedly. */
const spelled = (character: string): string =>
  `(?:${character}|%(?:25)*${character.charCodeAt(0).toString(16)})`;
// `vl_` (sign-in links) and `vit_` (bearer tokens), anywhere and after any character.
const kind = `(?:${spelled("l")}|${spelled("i")}${spelled("t")})`;
const token = new RegExp(`${spelled("v")}${kind}${spelled("_")}[^/?#&\\s"'\\\\<>]{12,}`, "gi");

/** Removes sign-in links, preview tickets, and tokens from a text for the log. */
export function redactText(text: string): string {
  return text
    .replace(secretLink, "$1[redacted]")
    .replace(previewTicket, "$1[redacted]")
    .replace(token, "[redacted]");
}

/** Limits for an error in the log: characters of its texts, and number of parts. */
const maxLength = { message: 4000, stack: 16_000, fact: 300, facts: 20, errors: 5 };

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}

/** Other properties of an error, such as its code: only plain values. */
function errorProperties(error: Error): Record<string, unknown> {
  const facts = Object.entries(error).filter(
    ([name, value]) => name !== "message" && name !== "stack" && typeof value !== "object",
  );
  return Object.fromEntries(
    facts
      .filter(([, value]) => typeof value !== "function")
      .slice(0, maxLength.facts)
      .map(([name, value]) => [
        name,
        typeof value === "string" ? cut(value, maxLength.fact) : value,
      ]),
  );
}

/**
 * An error for the log: its kind, message, stack, and codes with those of its causes, all limited.
 */
function boundedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = pino.stdSerializers.err(error);
  const errors = error instanceof AggregateError ? error.errors.slice(0, maxLength.errors) : [];
  return {
    ...errorProperties(error),
    type,
    message: cut(message, maxLength.message),
    stack: cut(stack, maxLength.stack),
    ...(errors.length > 0 && { errors: errors.map((one) => cut(String(one), maxLength.fact)) }),
  };
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
      serializers: { err: boundedError },
      hooks: { streamWrite: redactText },
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
}
