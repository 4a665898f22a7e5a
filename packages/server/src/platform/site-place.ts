import { join, resolve } from "node:path";
import { z } from "zod";
import { siteIdPattern } from "../kit/site-id.ts";
import { inSchema, siteSchema } from "./db/schema-address.ts";
import type { StorageSettings } from "./storage/storage-url.ts";
import { type InstancePaths, instancePaths } from "./paths.ts";

/** The keys of vitrine.json that are about further sites. */
export const siteSettings = {
  sites: z
    .strictObject({
      /** How many further sites have processes at once; null: by the machine's memory. */
      awake: z.number().int().positive().max(1000).nullable().default(null),
      /** How long a further site keeps its processes without anything to do: its first QA run comes after 90 s. */
      idleMinutes: z.number().int().min(2).max(1440).default(10),
      /** After how many days a node removes its copy of a site that nobody has asked it for; null: never. */
      copyDays: z.number().int().positive().max(3650).nullable().default(30),
      /** With less free disk space, copies that weren't used for a day go, too; 0: never. */
      copyFreeMiB: z.number().int().nonnegative().default(1024),
    })
    .prefault({}),
  /** Set for a further site of an installation: its name there. */
  site: z
    .strictObject({ id: z.string().regex(siteIdPattern, "must be the name of a site") })
    .nullable()
    .default(null),
};

/** What vitrine.json of a further site says of it. */
interface SiteIdentity {
  id: string;
}

/** The installation around a further site in its place there; otherwise the instance itself. */
export function installationOf(paths: InstancePaths, site: SiteIdentity | null): InstancePaths {
  if (site === null) return paths;
  const around = instancePaths(resolve(paths.dir, "../.."));
  return join(around.sites, site.id) === paths.dir ? around : paths;
}

/** A further site has a schema of its own in the installation's database. */
export function databaseUrlOf(url: string | undefined, site: SiteIdentity | null): string | null {
  if (!url) return null;
  return site === null ? url : inSchema(url, siteSchema(site.id));
}

/** A further site has a folder of its own in the installation's bucket. */
export function storageOf(
  storage: StorageSettings | null,
  site: SiteIdentity | null,
): StorageSettings | null {
  if (storage === null || site === null) return storage;
  const prefix = [storage.prefix, "sites", site.id].filter((part) => part !== "").join("/");
  return { ...storage, prefix };
}
