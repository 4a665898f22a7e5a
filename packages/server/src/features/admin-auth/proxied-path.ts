const prefixes = new Set(["devconsole", "_preview"]);

/** Maximum rounds of decoding; addresses with more layers are refused anyway. */
const maxLayers = 8;

/**
 * An encoded letter, digit, `-`, `_`, or `~`, which no regular client sends (RFC 3986, section
 * 2.3).
 */
const needlessEncoding = /%(?:2d|3[0-9]|4[1-9a-f]|5[0-9a]|5f|6[1-9a-f]|7[0-9a]|7e)/i;
/**
 * What a decoded segment must not contain: separators, control characters, another layer of
 * encoding.
 */
// oxlint-disable-next-line no-control-regex
const hidden = /[/\\%\u0000-\u001f\u007f]/;
const segmentCharacters = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*$/;

function pathOf(url: string): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").split("?", 1)[0] ?? "";
}

function decodeLayer(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
}

/** The first segment of a path as the most lenient server would interpret it. */
function lenientFirstSegment(path: string): string {
  let text = path;
  for (let layer = 0; layer < maxLayers && text.includes("%"); layer += 1) {
    const decoded = decodeLayer(text);
    if (decoded === text) break;
    text = decoded;
  }
  const segments: string[] = [];
  for (const part of text.replaceAll("\\", "/").split("/")) {
    const segment = (part.split(/[;?#]/, 1)[0] ?? "").trim().toLowerCase();
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments[0] ?? "";
}

function isCanonicalSegment(segment: string): boolean {
  if (!segmentCharacters.test(segment) || needlessEncoding.test(segment)) return false;
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    return false;
  }
  return decoded !== "." && decoded !== ".." && !hidden.test(decoded);
}

/**
 * Whether a request's address leads behind the gate: `open` if it doesn't, `gated` if it does in
 * its canonical spelling, `disguised` for any other spelling that some server, router, or proxy
 * might accept (encoded, doubled slashes, dot segments, uppercase, absolute form). Disguised
 * addresses are never served.
 */
export function proxiedPath(url: string): "open" | "gated" | "disguised" {
  const path = pathOf(url);
  const [empty, first = "", ...rest] = path.split("/");
  const proper =
    url.startsWith("/") &&
    empty === "" &&
    prefixes.has(first) &&
    !rest.slice(0, -1).includes("") &&
    rest.every(isCanonicalSegment);
  if (proper) return "gated";
  if (prefixes.has(first)) return "disguised";
  return prefixes.has(lenientFirstSegment(path)) ? "disguised" : "open";
}
