import { mapConcurrently } from "../kit/concurrency.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { ProbeFetcher, ExposedFile } from "./probes.ts";

/** In bytes: enough of a file to prove what it is. */
const enough = 4096;
const atOnce = 4;
/** The number of scripts and style sheets whose source maps are requested. */
const maxMaps = 20;

interface Secret {
  path: string;
  what: string;
  /**
   * The proof, in words; null for anything else, such as a page that is returned for every address.
   */
  proof(bytes: Buffer, text: string): string | null;
  maybe?: true;
}

const byText =
  (pattern: RegExp, proof: string): Secret["proof"] =>
  (_bytes, text) =>
    !/^\s*(?:<!doctype|<html|<\?xml|<head|<body)/i.test(text) && pattern.test(text) ? proof : null;

const byMagic =
  (magic: Buffer, proof: string): Secret["proof"] =>
  (bytes) =>
    bytes.subarray(0, magic.length).equals(magic) ? proof : null;

const sqlite = byMagic(Buffer.from("SQLite format 3\0", "latin1"), "It begins like a SQLite file.");
const zip = byMagic(Buffer.from([0x50, 0x4b, 0x03, 0x04]), "It begins like a ZIP file.");
const gzip = byMagic(Buffer.from([0x1f, 0x8b, 0x08]), "It begins like a gzip file.");
const environment = byText(
  /^[ \t]*(?:export[ \t]+)?[A-Z][A-Z0-9_]{2,}=[^\r\n]*$/m,
  "It has lines like NAME=value.",
);
const sql = byText(
  /^(?:-- (?:MySQL|MariaDB|PostgreSQL) (?:database )?dump|PRAGMA foreign_keys|CREATE TABLE|INSERT INTO|DROP TABLE)/m,
  "It contains SQL statements.",
);
const privateKey = byText(/^-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/m, "It is a private key.");

/** A Vitrine configuration, not any JSON. */
function configuration(_bytes: Buffer, text: string): string | null {
  try {
    const value = JSON.parse(text) as unknown;
    const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
    const known = [
      "baseUrl",
      "owner",
      "limits",
      "trustedIps",
      "runnerPort",
      "trustProxy",
      "sandbox",
    ];
    return known.some((key) => keys.includes(key)) ? "It contains configuration keys." : null;
  } catch {
    return null;
  }
}

/** Files that are often forgotten in the folders of sites. */
const secrets: readonly Secret[] = [
  {
    path: "/.git/HEAD",
    what: "the site’s git repository",
    proof: byText(/^(?:ref: refs\/|[0-9a-f]{40}\s*$)/, "It names a branch."),
  },
  {
    path: "/.git/config",
    what: "the configuration of the site’s git repository",
    proof: byText(/^\s*\[core\]/m, "It has the section [core]."),
  },
  ...[".env", ".env.local", ".env.production", ".env.backup", ".env.bak"].map((name) => {
    return { path: `/${name}`, what: "a file with settings and keys", proof: environment };
  }),
  { path: "/.svn/wc.db", what: "the site’s Subversion folder", proof: sqlite },
  {
    path: "/.DS_Store",
    what: "a list of the folder’s files",
    proof: byMagic(
      Buffer.from([0, 0, 0, 1, 0x42, 0x75, 0x64, 0x31]),
      "It begins like a folder listing.",
    ),
  },
  { path: "/vitrine.json", what: "the configuration of this program", proof: configuration },
  ...["/data/vitrine.db", "/vitrine.db", "/database.sqlite", "/db.sqlite3", "/database.db"].map(
    (path) => ({ path, what: "a database", proof: sqlite }),
  ),
  ...["/data/keys/runner.key", "/data/keys/session.key"].map((path) => {
    const proof = byText(/^[\w+/=-]{32,128}\s*$/, "It contains only a key.");
    return { path, what: "a key of this program", proof };
  }),
  ...["/.ssh/id_rsa", "/id_rsa", "/.ssh/id_ed25519", "/privkey.pem", "/server.key"].map((path) => {
    return { path, what: "a private key", proof: privateKey };
  }),
  {
    path: "/.npmrc",
    what: "a file with a token for a package registry",
    proof: byText(/_authToken\s*=\s*\S/, "It has a line with _authToken."),
  },
  {
    path: "/.htpasswd",
    what: "a list of passwords",
    proof: byText(
      /^[^\s:<]+:(?:\$apr1\$|\$2[aby]\$|\{SHA\}|\$[56]\$)/m,
      "It has names and hashes.",
    ),
  },
  {
    path: "/.aws/credentials",
    what: "cloud credentials",
    proof: byText(/^\s*aws_(?:access_key_id|secret_access_key)\s*=/m, "It contains names of keys."),
  },
  ...["/wp-config.php.bak", "/wp-config.php~", "/config.php.bak"].map((path) => {
    const proof = byText(/^\s*<\?php/, "It is the source code of a script.");
    return { path, what: "a copy of a configuration", proof };
  }),
  ...["/backup.zip", "/site.zip", "/www.zip", "/public.zip"].map((path) => {
    return { path, what: "a copy of the site", proof: zip };
  }),
  ...["/backup.tar.gz", "/backup.tgz", "/site.tar.gz"].map((path) => {
    return { path, what: "a copy of the site", proof: gzip };
  }),
  ...["/backup.sql", "/dump.sql", "/database.sql"].map((path) => {
    return { path, what: "a copy of the database", proof: sql };
  }),
  { path: "/dump.sql.gz", what: "a copy of the database", proof: gzip },
];

/** A source map (ECMA-426). */
function sourceMap(_bytes: Buffer, text: string): string | null {
  return /^\s*(?:\)\]\}'[^\n]*\n\s*)?\{[^]*"(?:mappings|sources|sourcesContent)"\s*:/.test(text) &&
    /"version"\s*:\s*3\b/.test(text)
    ? "It is a source map."
    : null;
}

/** The source maps that the site's scripts and style sheets may have. */
function mapsOf(crawl: Crawl): Secret[] {
  const assets = [...crawl.responses.values()].filter(({ url, status }) => {
    return (
      status === 200 &&
      crawl.isOwn(url) &&
      /\.(?:js|mjs|css)$/i.test(URL.parse(url)?.pathname ?? "")
    );
  });
  return assets.slice(0, maxMaps).map(({ url }) => {
    const path = `${new URL(url).pathname}.map`;
    return { path, what: "the source of a script or style sheet", proof: sourceMap, maybe: true };
  });
}

async function probe(
  fetcher: ProbeFetcher,
  origin: string,
  secret: Secret,
): Promise<ExposedFile[]> {
  const { path, what, maybe = false } = secret;
  const { answer: response, body } = await fetcher.own(origin + path, {
    headers: { range: `bytes=0-${enough - 1}` },
    cookies: false,
    follow: false,
    maxBytes: enough,
  });
  const { status } = response;
  if ((status !== 200 && status !== 206) || body === null || body.length === 0) return [];
  const magic = secret.proof(body, body.toString("latin1"));
  return magic === null ? [] : [{ path, what, status, magic, maybe }];
}

/**
 * Requests files that only the owner should be able to read. A file counts only if its bytes prove
 * what it is, because many sites return a page for every address.
 */
export async function probeExposed(fetcher: ProbeFetcher, crawl: Crawl): Promise<ExposedFile[]> {
  const all = [...secrets, ...mapsOf(crawl)];
  const found = await mapConcurrently(all, atOnce, (secret) =>
    probe(fetcher, crawl.origin, secret),
  );
  return found.flat();
}
