import { sha256Hex } from "../../../kit/hash.ts";
import { shorten, type ReadContext, type SiteFingerprint } from "./fingerprint.ts";

/** Where an address leads according to browsers (URL standard). */
export type LinkTarget =
  | { to: "inside"; path: string; search: string }
  | { to: "outside"; origin: string; href: string }
  /** javascript: and similar schemes, and data: or blob: documents. */
  | { to: "code"; text: string }
  /** A data: address with an image, font, audio, or video. */
  | { to: "media"; text: string }
  | { to: "other"; scheme: string; text: string }
  /** It contains a host that no parser can read. */
  | { to: "unreadable"; text: string }
  | { to: "nothing" };

/** The roles of external origins, with the words that precede them. */
const roles = {
  load: "loads from",
  style: "loads styles from",
  script: "runs scripts from",
  frame: "embeds a page from",
  form: "sends forms to",
  connect: "connects to",
  link: "links to",
  canonical: "names as its canonical address",
  refresh: "redirects to",
  base: "resolves relative addresses against",
  data: "names",
} as const;
export type LinkRole = keyof typeof roles;

const scheme = /^([a-z][a-z0-9+.-]*):/i;
const codeSchemes = new Set([
  "javascript",
  "vbscript",
  "livescript",
  "mocha",
  "blob",
  "filesystem",
]);
const mediaTypes =
  /^data:(?:image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|svg\+xml)|font\/[\w+-]+|application\/(?:x-)?font-[\w-]+|audio\/[\w.+-]+|video\/[\w.+-]+)[;,]/i;

/** The address without surrounding white space and control characters, and without line breaks. */
export function cleanAddress(raw: string): string {
  return raw.replace(/^[\0-\x20]+|[\0-\x20]+$/g, "").replace(/[\t\n\r]+/g, "");
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * Parses an address in a file. `https:host` and `https:/host` are treated as naming a host: whether
 * they do depends on the scheme of the page, which may differ elsewhere.
 */
export function parseLinkTarget(
  raw: string,
  place: Pick<ReadContext, "path" | "host">,
): LinkTarget {
  const text = cleanAddress(raw);
  if (text === "" || text.startsWith("#")) return { to: "nothing" };
  const named = scheme.exec(text)?.[1]?.toLowerCase();
  if (named === undefined ? /^[\\/]{2}/.test(text) : named === "http" || named === "https") {
    const rest = text.slice(named === undefined ? 0 : named.length + 1).replace(/^[\\/]*/, "");
    const url = URL.parse(`${named ?? "https"}://${rest}`);
    if (!url) return { to: "unreadable", text };
    if (url.host !== place.host) return { to: "outside", origin: url.origin, href: url.href };
    return { to: "inside", path: decodedPath(url.pathname), search: url.search };
  }
  if (named === undefined) {
    const url = URL.parse(text, URL.parse(encodeURI(place.path), "https://site.invalid")?.href);
    if (!url) return { to: "unreadable", text };
    return { to: "inside", path: decodedPath(url.pathname), search: url.search };
  }
  if (codeSchemes.has(named)) return { to: "code", text };
  if (named === "data") {
    return mediaTypes.test(text) ? { to: "media", text } : { to: "code", text };
  }
  return named === "about" ? { to: "nothing" } : { to: "other", scheme: named, text };
}

function percentDecoded(text: string): string {
  return decodedPath(text).trim().toLowerCase();
}

/** The recipients of a mailto: address (RFC 6068) or a telephone number. */
function recipientsOf(kind: string, text: string): string[] {
  const [path = "", query = ""] = text.slice(kind.length + 1).split("?", 2);
  if (kind !== "mailto") return [percentDecoded(path).replace(/[\s().-]|\/\//g, "")];
  const fields = query.split("&").flatMap((field) => {
    const [name = "", value = ""] = field.split("=", 2);
    return /^(?:to|cc|bcc)$/.test(percentDecoded(name)) ? value : [];
  });
  return [path, ...fields].flatMap((part) => percentDecoded(part).split(",")).filter(Boolean);
}

function origin(role: LinkRole, name: string, key = name): SiteFingerprint {
  return { kind: "origin", key: `origin:${role}:${key}`, what: `${roles[role]} ${shorten(name)}` };
}

/** What an address in this role means: nothing for places inside the site. */
export function* fingerprintsOfTarget(
  target: LinkTarget,
  role: LinkRole,
): Generator<SiteFingerprint> {
  if (target.to === "outside") {
    // For forms, the whole address matters, because it determines who gets the input.
    const whole = role === "form" || role === "refresh";
    yield whole ? origin(role, target.href) : origin(role, target.origin);
  } else if (target.to === "unreadable") {
    yield origin(role, target.text);
  } else if (target.to === "code") {
    const what = `an address that runs code, “${shorten(target.text)}”`;
    yield { kind: "script", key: `address:${sha256Hex(target.text)}`, what };
  } else if (target.to === "media") {
    if (role === "load" || role === "style") return;
    const what = `a document in a data: address, “${shorten(target.text)}”`;
    yield { kind: "script", key: `document:${sha256Hex(target.text)}`, what };
  } else if (target.to === "other") {
    for (const who of /^(?:mailto|tel|sms|callto|fax)$/.test(target.scheme)
      ? recipientsOf(target.scheme, target.text)
      : [target.text.slice(target.scheme.length + 1)]) {
      yield origin(role, `${target.scheme}:${who}`);
    }
  }
}

/** Parses an address in a role and records what it means. */
export function noteAddress(raw: string, role: LinkRole, place: ReadContext): LinkTarget {
  const target = parseLinkTarget(raw, place);
  for (const fingerprint of fingerprintsOfTarget(target, role)) place.sink(fingerprint);
  return target;
}
