import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { pino } from "pino";
import type { SiteCheck } from "../../packages/server/src/features/agent/agent.ts";
import { seedChangelogFile } from "../../packages/server/src/features/changelog/seed.ts";
import { importRecordsFile } from "../../packages/server/src/features/projects/import.ts";
import {
  BuildFailed,
  makeSiteBuilder,
} from "../../packages/server/src/features/release/builder/build.ts";
import { exportSnapshot } from "../../packages/server/src/features/release/export.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { exists, removeTree } from "../../packages/server/src/platform/files.ts";
import { makeTestDatabase } from "../../test/support/database.ts";
import { mediaDir } from "./workspace.ts";

/** Checks the site in a folder. */
export interface SiteChecker {
  check(root: string): Promise<SiteCheck>;
  close(): Promise<void>;
}

async function faultsOf(root: string, path: string): Promise<string[]> {
  const text = await readFile(path, "utf8");
  const name = relative(root, path);
  if (path.endsWith(".json")) {
    try {
      JSON.parse(text);
      return [];
    } catch (error) {
      return [`${name}: ${String(error)}`];
    }
  }
  if (!path.endsWith(".astro")) return [];
  const fences = text.match(/^---\r?$/gm)?.length ?? 0;
  const faults = fences === 0 || fences === 2 ? [] : [`${name}: its frontmatter is not closed`];
  for (const [, target = ""] of text.matchAll(/^import [^\n]*?from "(\.[^"?]+)/gm)) {
    if (!(await exists(resolve(dirname(path), target)))) faults.push(`${name}: no ${target}`);
  }
  return faults;
}

/** Checks that take milliseconds: valid JSON, closed frontmatter, imports that resolve. */
export function quickChecker(): SiteChecker {
  return {
    async check(root) {
      const folder = join(root, "app/src");
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((e) => e.isFile()).map((e) => join(e.parentPath, e.name));
      const errors = (await Promise.all(files.map((path) => faultsOf(root, path)))).flat();
      const pages = files.filter((path) => /\/pages\/.*\.astro$/.test(path)).length;
      return errors.length === 0 ? { ok: true, pages } : { ok: false, errors };
    },
    close: async () => {},
  };
}

/** The product's own build in its sandbox, with the template's records. */
export async function buildChecker(template: string): Promise<SiteChecker> {
  const work = await mkdtemp(join(tmpdir(), "vitrine-bench-"));
  await using test = await makeTestDatabase();
  const { db } = test.database;
  const now = Date.now();
  await importRecordsFile(db, { file: join(template, "database/projects.json"), now });
  const file = join(template, "database/changelog.json");
  await seedChangelogFile(db, { file, ownerName: "Owner", now });
  const site = { baseUrl: "https://example.com", owner: { name: "Owner", timeZone: "UTC" } };
  const snapshot = await exportSnapshot(db, site);
  const builder = await makeSiteBuilder({
    paths: {
      artifacts: join(work, "artifacts"),
      builders: join(work, "builders"),
      compiledSites: join(work, "compiled"),
    },
    limits: defaultLimits.build,
    sandbox: "auto",
    log: pino({ level: "silent" }),
    clock: systemClock,
  });
  return {
    async check(root) {
      try {
        const { pages } = await builder.build({ sourceDir: root, snapshot, mediaDir });
        return { ok: true, pages };
      } catch (error) {
        if (error instanceof BuildFailed) return { ok: false, errors: error.errors };
        throw error;
      }
    },
    async close() {
      await builder.close();
      await removeTree(work);
    },
  };
}
