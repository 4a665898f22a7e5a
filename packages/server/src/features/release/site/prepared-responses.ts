import type { IncomingHttpHeaders } from "node:http";
import { chooseEncoding, type Encoding } from "../../../kit/accept-encoding.ts";
import { isUnchanged } from "../../../kit/etag.ts";
import { redactText } from "../../../platform/log.ts";
import { etagOf, missingPageHeaders, unchangedHeaders, wholeHeaders } from "./file-response.ts";
import type { LiveRelease, ServedReleases, SiteFile } from "./live-release.ts";
import { findInRelease, redirectResponse, type Redirect } from "./public-site.ts";
import type { SiteBodies } from "./site-bodies.ts";

/** What of a request decides whether there is a response for it in memory. */
export interface PreparedRequest {
  method?: string | undefined;
  url?: string | undefined;
  headers: IncomingHttpHeaders;
}

/** A whole response, ready to be sent. */
export interface PreparedResponse {
  status: number;
  /** Names and values in turn, as `writeHead` takes them. The last value is the request id's, and empty. */
  headers: string[];
  /** Null for none: HEAD, 304, and redirects. */
  body: Buffer | null;
  /** The path for the log, as JSON. */
  pathJson: string;
}

export interface PreparedResponsesOptions {
  releases: Pick<ServedReleases, "peek">;
  bodies: SiteBodies;
  /** The headers of every response, under those of its file. */
  headers: Readonly<Record<string, string>>;
  /** Whether a decoded path is the public site's to answer, and has no second reading. */
  isSitePath(path: string): boolean;
  /** Whether a page may be another one for whoever sends this Cookie header. */
  isPersonal(cookie: string): boolean;
}

/** Gives the response for a request, or null where there is none in memory or no certainty about it. */
export type FindPreparedResponse = (request: PreparedRequest) => PreparedResponse | null;

interface Variant {
  etag: string;
  /** Of the body, in `SiteBodies`. */
  key: string;
  whole: string[];
  unchanged: string[];
}

type Entry =
  | { kind: "file"; file: SiteFile; pathJson: string; variants: Map<Encoding, Variant> }
  | { kind: "redirect"; moved: Redirect; pathJson: string };

/** No character of these is read in two ways by a router, a decoder, or a proxy. */
const plainQuery = /^\?[!-"$-~]*$/;
const plainPath = /^\/[!-"$&-~]*$/;

/** Longer lists of encodings are read each time; of shorter ones so many are known. */
const maxKnownLength = 200;
const maxKnownEncodings = 500;

function flatten(headers: Readonly<Record<string, string>>): string[] {
  return [...Object.entries(headers).flat(), "x-request-id", ""];
}

/** `chooseEncoding`, which remembers what it has chosen: browsers send one of few headers. */
function makeEncodingChoice(): (header: string | undefined, file: SiteFile) => Encoding {
  const known = new Map<string, Encoding>();
  return (header, { encodings }) => {
    if (header === undefined || encodings.length === 0) return "identity";
    if (header.length > maxKnownLength) return chooseEncoding(header, encodings);
    const key = `${encodings.length === 2 ? "both" : encodings[0]} ${header}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= maxKnownEncodings) known.clear();
    const chosen = chooseEncoding(header, encodings);
    known.set(key, chosen);
    return chosen;
  };
}

/** Whether a request asks for no more than a whole file, or whether it has changed. */
function isPlainRead({ method, headers }: PreparedRequest): boolean {
  return (
    (method === "GET" || method === "HEAD") &&
    headers.range === undefined &&
    headers["content-type"] === undefined &&
    headers["transfer-encoding"] === undefined &&
    (headers["content-length"] === undefined || headers["content-length"] === "0")
  );
}

/** The prepared entries of one release, made when they are first asked for, at most one for each address. */
class Entries {
  readonly release: LiveRelease;
  readonly #options: PreparedResponsesOptions;
  readonly #known = new Map<string, Entry>();
  readonly #missing: Entry | null;

  constructor(release: LiveRelease, options: PreparedResponsesOptions) {
    this.release = release;
    this.#options = options;
    const page = release.files.get("/404.html");
    this.#missing = page === undefined ? null : this.#fileEntry("/404.html", page);
  }

  /** What is at a path: a known entry, or null for nothing that is certain. */
  find(path: string): Entry | null {
    return this.#known.get(path) ?? this.#make(path);
  }

  /** The page for what is not there; null where the release has none. */
  get missing(): Entry | null {
    return this.#missing;
  }

  variant(entry: Extract<Entry, { kind: "file" }>, encoding: Encoding): Variant {
    const known = entry.variants.get(encoding);
    if (known !== undefined) return known;
    const { bodies, headers } = this.#options;
    const { file } = entry;
    const whole =
      entry === this.#missing
        ? missingPageHeaders(bodies, file, encoding)
        : wholeHeaders(bodies, file, encoding);
    const made: Variant = {
      etag: etagOf(file, encoding),
      key: bodies.keyOf(file, encoding),
      whole: flatten({ ...headers, ...whole }),
      unchanged: flatten({ ...headers, ...unchangedHeaders(file, encoding) }),
    };
    entry.variants.set(encoding, made);
    return made;
  }

  #fileEntry(path: string, file: SiteFile): Entry {
    const pathJson = JSON.stringify(redactText(path));
    return { kind: "file", file, pathJson, variants: new Map() };
  }

  #make(path: string): Entry | null {
    if (!plainPath.test(path) || !this.#options.isSitePath(path)) return null;
    const found = findInRelease(this.release, path);
    if (found === "missing") return this.#missing;
    const entry: Entry =
      "moved" in found
        ? { kind: "redirect", moved: found.moved, pathJson: JSON.stringify(redactText(path)) }
        : this.#fileEntry(path, found.file);
    this.#known.set(path, entry);
    return entry;
  }
}

/**
 * Finds whole responses for public files in memory, with all headers made in advance. What it finds is what
 * `publicResponse` would answer; ranges, large bodies, addresses with a second reading, and pages that may
 * be a visitor's own are left to that. Nothing is read from the disk here.
 */
export function makePreparedResponses(options: PreparedResponsesOptions): FindPreparedResponse {
  const { releases, bodies, headers: ownHeaders, isPersonal } = options;
  const encodingOf = makeEncodingChoice();
  let entries: Entries | null = null;

  function fileResponse(
    all: Entries,
    entry: Extract<Entry, { kind: "file" }>,
    request: PreparedRequest,
  ): Omit<PreparedResponse, "pathJson"> | null {
    const { headers, method } = request;
    const variant = all.variant(entry, encodingOf(headers["accept-encoding"], entry.file));
    const isMissing = entry === all.missing;
    if (!isMissing && isUnchanged(headers["if-none-match"], variant.etag)) {
      return { status: 304, headers: variant.unchanged, body: null };
    }
    const body = method === "HEAD" ? null : bodies.peek(variant.key);
    if (body === undefined) return null;
    return { status: isMissing ? 404 : 200, headers: variant.whole, body };
  }

  function redirect(url: string, moved: Redirect): Omit<PreparedResponse, "pathJson"> {
    const { status, headers } = redirectResponse(url, moved);
    return {
      status,
      headers: flatten({ ...ownHeaders, ...headers, "content-length": "0" }),
      body: null,
    };
  }

  return (request) => {
    if (!isPlainRead(request)) return null;
    const release = releases.peek();
    if (release === undefined) return null;
    if (entries?.release !== release) entries = new Entries(release, options);
    const { url = "", headers } = request;
    const queryAt = url.indexOf("?");
    if (queryAt !== -1 && !plainQuery.test(url.slice(queryAt))) return null;
    const path = queryAt === -1 ? url : url.slice(0, queryAt);
    const entry = entries.find(path);
    if (entry === null) return null;
    const { cookie } = headers;
    if (entry.kind === "redirect") {
      return { ...redirect(url, entry.moved), pathJson: entry.pathJson };
    }
    const isMissing = entry === entries.missing;
    // Where the public site has nothing, somebody who is known may have something of their own.
    if (cookie !== undefined && (isMissing || (entry.file.page && isPersonal(cookie)))) return null;
    const found = fileResponse(entries, entry, request);
    if (found === null) return null;
    return { ...found, pathJson: isMissing ? JSON.stringify(redactText(path)) : entry.pathJson };
  };
}
