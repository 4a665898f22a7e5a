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

/** Reads the site at `dir` with its manifest. Throws `not_found` if there is none. */
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
 * Reads releases through the `current` link, which is checked for every request (about 3 µs), so
 * that a publish is live for the next one. Manifests are read once.
 */
export function makeLiveReleases(paths: Pick<InstancePaths, "current" | "releases">): LiveReleases {
  let name: string | undefined;
  let release: Promise<LiveRelease> | undefined;
  return {
    current: async () => {
      const target = readCurrent(paths.current);
      if (target === undefined) return undefined;
      if (release === undefined || target !== name) {
        name = target;
        const read = readRelease(join(paths.releases, basename(target)));
        release = read;
        read.catch(() => {
          if (release === read) release = undefined;
        });
      }
      return release;
    },
  };
}
