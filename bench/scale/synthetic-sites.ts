/** Further sites that are only rows and files: enough for visitors, and made in no time. */
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { storeArtifact } from "../../packages/server/src/features/release/artifact/artifact-store.ts";
import {
  openSiteRegistry,
  registryAddress,
} from "../../packages/server/src/features/sites/registry.ts";
import { insertDomain, insertSite } from "../../packages/server/src/features/sites/store.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { mapConcurrently } from "../../packages/server/src/kit/concurrency.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import type { TestInstance } from "../../test/support/instance.ts";

/** The pages of each site: `/p0/` and so on. */
export const pages = 20;
export const domainOf = (number: number) => `s${number}.example`;

/** Registers so many sites in one transaction: one by one, each would be synced to the disk. */
export async function registerSites({ paths }: TestInstance, count: number): Promise<void> {
  await mkdir(paths.sites, { recursive: true });
  const deps = { paths, databaseUrl: null };
  const registry = await openSiteRegistry({ ...deps, clock: systemClock, ownHost: "localhost" });
  await registry.close();
  const database = openDatabase(registryAddress(deps));
  const at = isoTime(systemClock.now());
  await database.db.transaction().execute(async (transaction) => {
    for (let number = 0; number < count; number += 1) {
      const id = `s${number}`;
      await insertSite(transaction, {
        id,
        status: "active",
        base_url: `http://${domainOf(number)}`,
        moved_to: null,
        reservation: null,
        wake_at: null,
        created_at: at,
        changed_at: at,
      });
      const domain = domainOf(number);
      await insertDomain(transaction, { domain, site_id: id, created_at: at });
    }
  });
  await database.close();
}

/**
 * Gives the first `count` sites a release: the same one, in a folder of its own for each. Returns the folder
 * with its files.
 */
export async function publishSites({ dir, paths }: TestInstance, count: number): Promise<string> {
  const outDir = join(dir, "scale");
  for (let page = 0; page < pages; page += 1) {
    await mkdir(join(outDir, `p${page}`), { recursive: true });
    const text = `<!doctype html><html lang="en"><title>${page}</title>${`<p>${page} words</p>`.repeat(400)}`;
    await writeFile(join(outDir, `p${page}/index.html`), text);
  }
  const artifact = await storeArtifact({
    outDir,
    mediaDir: join(dir, "none"),
    artifactsDir: join(dir, "scale-artifacts"),
    bounds: { bytes: 2 ** 30, files: 1000 },
    redirects: { baseUrl: "http://s0.example", list: [] },
  });
  await mapConcurrently([...Array(count).keys()], 8, async (number) => {
    const data = join(paths.sites, `s${number}`, "data");
    await mkdir(join(data, "releases"), { recursive: true });
    await cp(artifact.dir, join(data, "releases/1"), { recursive: true });
    await cp(`${artifact.dir}.json`, join(data, "releases/1.json"));
    await symlink("releases/1", join(data, "current"));
  });
  return artifact.dir;
}
