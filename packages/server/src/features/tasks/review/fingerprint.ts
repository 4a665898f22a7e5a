import type { ManifestFile } from "../../release/artifact/artifact.ts";

/**
 * Something in a site's file that a person may want to know about: a script, an origin in a role,
 * or content that can't be analyzed. Files with the same `key` have it in common.
 */
export interface SiteFingerprint {
  kind: "script" | "origin" | "unread";
  key: string;
  /** A few words that precede “on /about/”. */
  what: string;
}

export type Sink = (fingerprint: SiteFingerprint) => void;

/** Where the text being read is located. */
export interface ReadContext {
  /** Decoded URL path of the file. */
  path: string;
  /** All files of its site by decoded URL path. */
  files: Readonly<Record<string, ManifestFile>>;
  /** The host of the site's own address with its port; null if unknown. */
  host: string | null;
  sink: Sink;
}

const maxShownLength = 120;

/** A page's text as shown in a reason: on one line, truncated. */
export function shorten(text: string): string {
  const line = text
    .slice(0, 2000)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  return line.length > maxShownLength ? `${line.slice(0, maxShownLength)}…` : line;
}

/** The file served at this address; undefined if there is none. */
export function fileAt(
  { files }: Pick<ReadContext, "files">,
  path: string,
): ManifestFile | undefined {
  return Object.hasOwn(files, path) ? files[path] : undefined;
}
