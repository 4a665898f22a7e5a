import { hash } from "node:crypto";
import type { CrawlResponse } from "./crawl.ts";
import { decodeBody } from "./decode.ts";
import type { Exchanged, Failure } from "./exchange.ts";
import { readImageMetadata } from "./image-metadata.ts";
import { sniffType } from "./sniff.ts";
import { judge } from "./verdict.ts";

/** One request with all its redirects and attempts. */
export interface RedirectTrace {
  exchanged: Exchanged;
  method: CrawlResponse["method"];
  hops: { url: string; status: number }[];
  finalUrl: string;
  attempts: { status: number | null; code: string | null; ms: number }[];
  retryAfterMs: number | null;
}

/** How much of a body is searched for the texts of bot walls. */
const maxWallBytes = 4096;
const isMedia = /^(?:image\/(?!svg)|font\/|audio\/|video\/)/;
const leadsOn = new Set([301, 302, 303, 307, 308]);

const rounded = (ms: number): number => Math.round(ms * 10) / 10;

/** Combines the results of a request and decompresses its body, up to `max` bytes. */
export async function toResponse(
  url: string,
  walked: RedirectTrace,
  max: number,
  follow: boolean,
  isOwn: boolean,
): Promise<{ answer: CrawlResponse; body: Buffer | null }> {
  const { exchanged, method, finalUrl } = walked;
  const { status, headers } = exchanged;
  const cut = exchanged.truncated || exchanged.failure?.phase === "body";
  const packed = exchanged.body;
  const decoded = await decodeBody(packed, headers["content-encoding"], max, cut);
  const body = status === null || method === "HEAD" ? null : decoded.body;
  const failure: Failure | null =
    exchanged.failure ??
    (decoded.problem === null ? null : { phase: "body", code: decoded.problem, ms: exchanged.ms });
  // The site's own pages may mention such texts; a real wall in front of them shows in the status
  // or a header.
  const isPlain = isOwn && status !== null && status < 300;
  const start = body && body.length > 0 && !isPlain ? body.toString("latin1", 0, maxWallBytes) : "";
  const stays = !follow && status !== null && leadsOn.has(status) && "location" in headers;
  const judged = stays
    ? { verdict: "ok" as const, reason: null }
    : judge(status, headers, start, failure);
  const length = Number(headers["content-length"] ?? Number.NaN);
  // For a body that was cut on purpose, the header has the size.
  const reported = exchanged.truncated && body === packed && length > packed.length ? length : null;
  const sniffed = body && sniffType(body);
  const response: CrawlResponse = {
    url,
    method,
    status,
    ...judged,
    failure: failure && { ...failure, ms: rounded(failure.ms) },
    headers,
    hops: walked.hops,
    finalUrl,
    bytes: body ? (reported ?? body.length) : 0,
    wireBytes: reported ?? packed.length,
    truncated: exchanged.truncated || decoded.truncated,
    hash: body && hash("sha256", body),
    sniffed,
    image: sniffed?.startsWith("image/") && body ? readImageMetadata(body, sniffed) : null,
    firstByteMs: rounded(exchanged.firstByteMs),
    ms: rounded(exchanged.ms),
    attempts: walked.attempts,
    head: body && !isMedia.test(sniffed ?? "") ? body.toString("utf8", 0, 512) : "",
    notModified: false,
    retryAfterMs: walked.retryAfterMs,
  };
  return { answer: response, body };
}

/** A response that was never requested, because of what is known of its host. */
export function unrequestedResponse(
  url: string,
  failure: Failure,
  retryAfterMs: number | null,
): CrawlResponse {
  return {
    url,
    method: "GET",
    status: null,
    ...judge(null, {}, "", failure),
    failure,
    headers: {},
    hops: [],
    finalUrl: url,
    bytes: 0,
    wireBytes: 0,
    truncated: false,
    hash: null,
    sniffed: null,
    image: null,
    firstByteMs: 0,
    ms: 0,
    attempts: [],
    head: "",
    notModified: false,
    retryAfterMs,
  };
}
