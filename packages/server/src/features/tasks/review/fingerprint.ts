import type { ManifestFile } from "../../release/artifact/artifact.ts";

/**
 * One thing that a file of a site brings with it and that a person may want to know of: a script, an
 * origin in a role, or something that can't be looked into. Two files with the same `key` bring the same.
 */
export interface SiteFingerprint {
  kind: "script" | "origin" | "unread";
  key: string;
  /** In a few words, to be followed by “on /about/”. */
  what: string;
}

export type Sink = (fingerprint: SiteFingerprint) => void;

/** Where a text stands that is being read. */
export interface ReadContext {
  /** Decoded URL path of the file. */
  path: string;
  /** All files of its site by their decoded URL paths. */
  files: Readonly<Record<string, ManifestFile>>;
  /** The host of the site's own address, with its port; null when it isn't known. */
  host: string | null;
  sink: Sink;
}

const maxShownLength = 120;

/** A text of a page as it is shown in a reason: on one line, shortened. */
export function shorten(text: string): string {
  const line = text
    .slice(0, 2000)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  return line.length > maxShownLength ? `${line.slice(0, maxShownLength)}…` : line;
}

/** A file that is served at this address; undefined for none. */
export function fileAt(
  { files }: Pick<ReadContext, "files">,
  path: string,
): ManifestFile | undefined {
  return Object.hasOwn(files, path) ? files[path] : undefined;
}
