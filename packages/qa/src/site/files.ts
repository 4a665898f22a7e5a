/** One file of a site as it is served. */
export interface SiteFile {
  /** Below the folder of the site's files; empty where it was fetched. */
  file: string;
  /** SHA-256 in hex. */
  hash: string;
  bytes: number;
  /** The Content-Type. */
  type: string;
  /** What it weighs when it is compressed. */
  encodings: { br?: { bytes: number }; gzip?: { bytes: number } };
}

/** The files of a site in a folder, by the addresses under which they are served. */
export interface SiteManifest {
  /** The same files have the same name. */
  sha: string;
  /** Decoded URL path (`/`, `/about/`, `/_astro/x.css`) → file. */
  files: Readonly<Record<string, SiteFile>>;
  /** Decoded URL path of a page → where it leads instead; each has a page in `files` as well. */
  redirects?: Readonly<Record<string, string>> | undefined;
}

/** Whether a file is a page. */
export function isPage(file: SiteFile): boolean {
  return file.type.startsWith("text/html");
}
