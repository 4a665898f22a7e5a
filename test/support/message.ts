/** An email's source, parsed like an email program does (RFC 5322, RFC 2045 to 2047). */
export interface ReadMessage {
  /** By lowercase name; if a name occurs several times, the last one. */
  headers: Record<string, string>;
  subject: string;
  replyTo: string | null;
  text: string;
  html: string | null;
}

function splitHead(source: string): { headers: Record<string, string>; body: string } {
  const at = source.indexOf("\r\n\r\n");
  const head = source.slice(0, at).replaceAll(/\r\n[ \t]+/g, " ");
  const headers: Record<string, string> = {};
  for (const line of head.split("\r\n")) {
    const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    headers[name.toLowerCase()] = value;
  }
  return { headers, body: source.slice(at + 4) };
}

function fromQuotedPrintable(text: string): string {
  const bytes = text
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function decodeBody(body: string, encoding: string | undefined): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  if (encoding === "quoted-printable") return fromQuotedPrintable(body);
  return body;
}

function decodeWords(text: string): string {
  return text
    .replaceAll(/(\?=)\s+(=\?)/g, "$1$2")
    .replaceAll(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === "B"
        ? Buffer.from(word, "base64").toString("utf8")
        : fromQuotedPrintable(word.replaceAll("_", " ")),
    );
}

/** The readable parts of an email by type. */
function partsOf(source: string): Map<string, string> {
  const { headers, body } = splitHead(source);
  const type = headers["content-type"] ?? "text/plain";
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1];
  if (boundary === undefined) {
    const text = decodeBody(body, headers["content-transfer-encoding"]?.toLowerCase());
    return new Map([[/^[^;]+/.exec(type)?.[0] ?? "", text.replaceAll("\r\n", "\n")]]);
  }
  const inner = body.split(`--${boundary}`).slice(1, -1);
  const parts = inner.map((part) => partsOf(part.slice(2, -2)));
  return new Map(parts.flatMap((part) => Array.from(part)));
}

export function readMessage(source: string): ReadMessage {
  const { headers } = splitHead(source);
  const parts = partsOf(source);
  return {
    headers,
    subject: decodeWords(headers["subject"] ?? ""),
    replyTo: headers["reply-to"] ?? null,
    text: parts.get("text/plain") ?? "",
    html: parts.get("text/html") ?? null,
  };
}
