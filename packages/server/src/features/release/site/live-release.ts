import { readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import type { Encoding } from "../../../kit/accept-encoding.ts";
import { type ManifestFile, readManifest } from "../artifact/artifact.ts";
import { fileHeaders, isPage } from "./site-policy.ts";

/** A file of a release, with everything precomputed that doesn't depend on the request. */
export interface SiteFile {
  entry: ManifestFile;
  /** Its release's folder. */
  release: string;
  path: string;
  page: boolean;
  encodings: Encoding[];
  headers: Record<string, string>;
}

/** A site that is being served: the current release, or an artifact. */
export interface LiveRelease {
  dir: string;
  /** Decoded URL path → file. Nothing else exists. */
  files: ReadonlyMap<string, SiteFile>;
  /** Decoded URL path of a page → its redirect. */
  redirects: ReadonlyMap<string, string>;
}

export interface LiveReleases {
  /** The current release; undefined before the first. */
  current(): Promise<LiveRelease | undefined>;
}

/** Releases of a process that serves them. */
export interface ServedReleases extends LiveReleases {
  /** The current one without waiting; undefined also where it would take waiting or fails. */
  peek(): LiveRelease | undefined;
}

/** Reads the site at `dir` by its manifest beside it. Throws `not_found` where there is none. */
export async function readRelease(dir: string): Promise<LiveRelease> {
  const manifest = await readManifest(`${dir}.json`);
  const files = new Map<string, SiteFile>();
  for (const [urlPath, entry] of Object.entries(manifest.files)) {
    const encodings = Object.keys(entry.encodings) as Encoding[];
    files.set(urlPath, {
      entry,
      release: dir,
      path: join(dir, entry.file),
      page: isPage(entry),
      encodings,
      headers: fileHeaders(urlPath, entry),
    });
  }
  return { dir, files, redirects: new Map(Object.entries(manifest.redirects ?? {})) };
}

function readCurrent(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new AppError("unavailable", "The current release can't be read.", { cause: error });
  }
}

/**
 * Reads a link once in each turn of the event loop. Requests that are handled in one turn had arrived when
 * it began, so whoever asks after a change sees it, and under load many requests share one look.
 */
function makeLinkReader(link: string): () => string | undefined {
  let target: string | undefined;
  let isRead = false;
  const forget = () => {
    isRead = false;
  };
  return () => {
    if (!isRead) {
      target = readCurrent(link);
      isRead = true;
      setImmediate(forget);
    }
    return target;
  };
}

/**
 * Reads releases by the `current` link, which is looked at in each turn of the event loop that asks for it,
 * so that a publish is live for the very next request. A release's manifest is read once.
 */
export function makeLiveReleases(
  paths: Pick<InstancePaths, "current" | "releases">,
): ServedReleases {
  const readLink = makeLinkReader(paths.current);
  let name: string | undefined;
  let release: Promise<LiveRelease> | undefined;
  /** The same, once it has been read. */
  let loaded: LiveRelease | undefined;
  const load = (target: string) => {
    name = target;
    loaded = undefined;
    const read = readRelease(join(paths.releases, basename(target)));
    release = read;
    void keep(read);
    return read;
  };
  const keep = async (read: Promise<LiveRelease>) => {
    try {
      const found = await read;
      if (release === read) loaded = found;
    } catch {
      // Whoever asked for it is told; the next one tries again.
      if (release === read) release = undefined;
    }
  };
  return {
    current: async () => {
      const target = readLink();
      if (target === undefined) return undefined;
      return release === undefined || target !== name ? load(target) : release;
    },
    peek() {
      try {
        return readLink() === name ? loaded : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
