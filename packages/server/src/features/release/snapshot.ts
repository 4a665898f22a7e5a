import { writeFile } from "node:fs/promises";
import { sha256Hex } from "../../kit/hash.ts";

/** What the database gives to one build of the site: the published records and nothing private. */
export interface Snapshot {
  site: SnapshotSite;
  /** Published projects in the owner's order. */
  projects: SnapshotProject[];
  /** Newest first. */
  changelog: SnapshotChange[];
  /** Addresses that pages have left for others of this site. */
  redirects: SnapshotRedirect[];
  /**
   * The marks of the names of all other projects, sorted; left out where there are none. A page that
   * has a name from elsewhere, as the résumé has, can tell by them that it is not to be said.
   */
  hiddenNames?: string[];
}

/** What a build of the site is made of besides its sources. */
export interface SiteRecords {
  snapshot: Snapshot;
  /**
   * The addresses of stored files that the site must not have: only projects show them that are not
   * for everybody. Beside the snapshot, which page code reads: it learns nothing of them.
   */
  withheld: ReadonlySet<string>;
}

/** Tells whether records are others than those that something was built of. */
export function recordsHash({ snapshot, withheld }: SiteRecords): string {
  return sha256Hex(JSON.stringify([snapshot, [...withheld].toSorted()]));
}

/** A project's name as it is compared: in small letters, with single spaces. */
export function foldName(name: string): string {
  return name.normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase();
}

/** What stands for a name that page code must not read. The site's lib/json-resume.ts makes the same. */
export function nameMark(name: string): string {
  return sha256Hex(foldName(name));
}

/** Paths of pages, each with a slash at both ends. */
export interface SnapshotRedirect {
  from: string;
  to: string;
}

export interface SnapshotSite {
  /** The address of the site, without a slash at the end. */
  baseUrl: string;
  ownerName: string;
  /** IANA name, such as Europe/Stockholm. */
  timeZone: string;
  /** Where anybody may make an account, or signing in shows a visitor more than everybody sees. */
  accounts?: true;
  /** The look that the owner has chosen in the settings; otherwise the site's source says it. */
  look?: string;
  accent?: string;
}

export interface SnapshotProject {
  slug: string;
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
  /** In order; the first is the cover. */
  gallery: SnapshotMedia[];
  /** The stored images that the body names, each once; left out where it names none. */
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
  /** Its alternative text is empty on purpose; left out where it isn't. */
  isDecorative?: true;
  width: number;
  height: number;
  kind: "image" | "video";
  poster: string | null;
  placeholder: string | null;
  variants: { src: string; width: number; bytes: number }[];
}

/** What a page needs to keep room for an image and to offer it in several widths. */
export type SnapshotImage = Pick<
  SnapshotMedia,
  "src" | "width" | "height" | "placeholder" | "variants"
>;

/** A change without its commit: that isn't known yet when its own preview is built. */
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
