import type { InstancePaths } from "../../../platform/paths.ts";
import { makeLiveReleases, type ServedReleases } from "./live-release.ts";
import { makeSiteBodies, type SiteBodies } from "./site-bodies.ts";

/** The files of the public site, as far as this process knows and keeps them. */
export interface SiteFiles {
  releases: ServedReleases;
  bodies: SiteBodies;
}

/** Opens the public site of an instance; nothing is read before somebody asks. */
export function openSiteFiles(paths: Pick<InstancePaths, "current" | "releases">): SiteFiles {
  return { releases: makeLiveReleases(paths), bodies: makeSiteBodies() };
}
