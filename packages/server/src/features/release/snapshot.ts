import { writeFile } from "node:fs/promises";
import { sha256Hex } from "../../kit/hash.ts";

/** The database's content for one build of the site: the published records and nothing private. */
export interface Snapshot {
  site: SnapshotSite;
  /** Published projects in the owner's order. */
  projects: SnapshotProject[];
  /** Newest first. */
  changelog: SnapshotChange[];
  /** Redirects of pages that have moved. */
  redirects: SnapshotRedirect[];
  /**
   * Sorted hashes of the names of all other projects; missing if there are none. With them, a page
   * that has names from elsewhere, such as the résumé, can tell which ones it must not show.
   */
  hiddenNames?: string[];
}

/** The data of a build besides its sources. */
export interface SiteRecords {
  snapshot: Snapshot;
  /**
   * Addresses of stored files that the site must not contain, because only restricted projects show
   * them. Not part of the snapshot, so page code learns nothing about them.
   */
  withheld: ReadonlySet<string>;
}

/** A hash of the records, to tell whether they have changed since a build. */
export function recordsHash({ snapshot, withheld }: SiteRecords): string {
  return sha256Hex(JSON.stringify([snapshot, [...withheld].toSorted()]));
}

/** A project's name for comparison: lowercase, with single spaces. */
export function foldName(name: string): string {
  return name.normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase();
}

/**
 * The hash of a name that page code must not read. The site's lib/json-resume.ts computes the same.
 */
export function nameMark(name: string): string {
  return sha256Hex(foldName(name));
}

/** Paths of pages with leading and trailing slashes. */
export interface SnapshotRedirect {
  from: string;
  to: string;
}

export interface SnapshotSite {
  /** The site's address without a trailing slash. */
  baseUrl: string;
  ownerName: string;
  /** IANA time zone, such as Europe/Stockholm. */
  timeZone: string;
  /** Set if anybody can create an account, or signing in shows more than everybody sees. */
  accounts?: true;
  /** The theme chosen in the settings; otherwise, the site's source decides. */
  look?: string;
  accent?: string;
}

export interface SnapshotProject {
  slug: string;
  /** Tells the project from others that have had its address; a hash. */
  identity?: string;
  name: string;
  summary: string;
  lede: string;
  /** Markdown. */
  body: string;
  kind: string;
  period: string;
  role: string;
  categories: string[];
  stack: string[];
  skills: { group: string; items: string[] }[];
  metrics: { value: string; label: string; note?: string }[];
  /** In order; the first one is the cover. */
  gallery: SnapshotMedia[];
  /** The stored images in the body, each once; missing if there are none. */
  bodyPictures?: SnapshotImage[];
  reelUrl: string | null;
  /** ISO 8601 UTC. */
  updatedAt: string;
}

export interface SnapshotMedia {
  /** A path below /media. */
  src: string;
  caption: string;
  alt: string;
  /** Its alt text is empty on purpose; missing otherwise. */
  isDecorative?: true;
  /** What stays visible where it is cut, in percent; missing for the center. */
  focalPoint?: { x: number; y: number };
  width: number;
  height: number;
  kind: "image" | "video";
  poster: string | null;
  placeholder: string | null;
  variants: { src: string; width: number; bytes: number }[];
  /** The same as AVIF, up to the image's own width; missing if there are none. */
  avif?: { src: string; width: number; bytes: number }[];
}

/** What a page needs to reserve space for an image and to offer it in several widths. */
export type SnapshotImage = Pick<
  SnapshotMedia,
  "src" | "width" | "height" | "placeholder" | "variants" | "avif"
>;

/** A change without its commit, which isn't known yet when its own preview is built. */
export interface SnapshotChange {
  kind: string;
  title: string;
  detail: string;
  /** ISO 8601 UTC. */
  at: string;
  actor: string;
}

/** Writes the snapshot where a build reads it. The file must not exist yet. */
export async function writeSnapshot(file: string, snapshot: Snapshot): Promise<void> {
  await writeFile(file, JSON.stringify(snapshot), { flag: "wx", mode: 0o644 });
}
