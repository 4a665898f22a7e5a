/** A file of a site as served. */
export interface SiteFile {
  /** Relative to the folder of the site's files; empty for a crawled site. */
  file: string;
  /** SHA-256 in hex. */
  hash: string;
  bytes: number;
  /** The Content-Type. */
  type: string;
  /** Its compressed sizes. */
  encodings: { br?: { bytes: number }; gzip?: { bytes: number } };
}

/** The files of a site in a folder, by their addresses. */
export interface SiteManifest {
  /** The same for the same files. */
  sha: string;
  /** Decoded URL path (`/`, `/about/`, `/_astro/x.css`) → file. */
  files: Readonly<Record<string, SiteFile>>;
  /** Decoded URL path of a redirecting page → its target; each has a page in `files` as well. */
  redirects?: Readonly<Record<string, string>> | undefined;
}

/** Whether a file is a page. */
export function isPage(file: SiteFile): boolean {
  return file.type.startsWith("text/html");
}
