/** Magic numbers, as Latin-1. */
const signatures: readonly [start: string, type: string][] = [
  ["\x89PNG\r\n\x1A\n", "image/png"],
  ["\xFF\xD8\xFF", "image/jpeg"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["II*\0", "image/tiff"],
  ["MM\0*", "image/tiff"],
  ["\0\0\x01\0", "image/x-icon"],
  ["\xFF\x0A", "image/jxl"],
  ["\0\0\0\x0CJXL ", "image/jxl"],
  ["%PDF-", "application/pdf"],
  ["PK\x03\x04", "application/zip"],
  ["PK\x05\x06", "application/zip"],
  ["\x1F\x8B", "application/gzip"],
  ["wOFF", "font/woff"],
  ["wOF2", "font/woff2"],
  ["OTTO", "font/otf"],
  ["\0\x01\0\0", "font/ttf"],
  ["\x1AE\xDF\xA3", "video/webm"],
  ["OggS", "audio/ogg"],
  ["ID3", "audio/mpeg"],
  ["fLaC", "audio/flac"],
  ["\0asm", "application/wasm"],
];

const brands: Readonly<Record<string, string>> = {
  avif: "image/avif",
  avis: "image/avif",
  heic: "image/heic",
  heix: "image/heic",
  hevc: "image/heic",
  mif1: "image/heif",
  msf1: "image/heif",
  "M4A ": "audio/mp4",
  "qt  ": "video/quicktime",
};

const htmlStart =
  /^<(?:!doctype\s+html|html|head|body|title|script|style|meta|link|h1|div|p|a|b|table|font|br|iframe)[\s>/]/i;

function sniffText(start: string): string | null {
  const text = start.replace(/^\xEF\xBB\xBF/, "").trimStart();
  if (text === "") return start === "" ? null : "text/plain";
  // oxlint-disable-next-line no-control-regex -- what text doesn't have (MIME Sniffing, 3)
  if (/[\0-\x08\x0B\x0E-\x1A\x1C-\x1F]/.test(text)) return null;
  const markup = text.replace(/^(?:\s*(?:<\?[^>]*\?>|<!--[\s\S]*?-->))+/, "").trimStart();
  if (/^(?:<!doctype\s+svg[^>]*>\s*)?<svg[\s>]/i.test(markup)) return "image/svg+xml";
  if (htmlStart.test(markup)) return "text/html";
  if (text.startsWith("<?xml")) return "application/xml";
  if (text.startsWith("<!--")) return "text/html";
  if (/^<(?:rss|feed|urlset|sitemapindex)[\s>]/i.test(markup)) return "application/xml";
  return /^[[{]/.test(text) ? "application/json" : "text/plain";
}

/** The type of a file by its bytes, whatever its header says; null if unknown. */
export function sniffType(bytes: Buffer): string | null {
  if (bytes.length === 0) return null;
  const start = bytes.toString("latin1", 0, 512);
  for (const [signature, type] of signatures) if (start.startsWith(signature)) return type;
  if (start.startsWith("RIFF")) {
    const kind = start.slice(8, 12);
    return kind === "WEBP" ? "image/webp" : kind === "WAVE" ? "audio/wav" : null;
  }
  if (start.startsWith("BM") && start.slice(6, 10) === "\0\0\0\0") return "image/bmp";
  if (start.slice(4, 8) === "ftyp") return brands[start.slice(8, 12)] ?? "video/mp4";
  // An MPEG audio frame without a preceding tag.
  if (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2) return "audio/mpeg";
  return sniffText(start);
}
