import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "astro";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import { storeArtifact } from "../../packages/server/src/features/release/artifact/artifact-store.ts";
import { siteConfig } from "../../packages/server/src/features/release/builder/site-config.ts";
import type {
  Snapshot,
  SnapshotMedia,
  SnapshotProject,
} from "../../packages/server/src/features/release/snapshot.ts";
import {
  type InstancePaths,
  instancePaths,
  nodeBinary,
  platformRoot,
} from "../../packages/server/src/platform/paths.ts";
import { exists } from "../../packages/server/src/platform/files.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { compileCache } from "../support/compile-cache.ts";

const template = join(platformRoot, "packages/template");

interface Records {
  media: Omit<SnapshotMedia, "caption">[];
  projects: (Omit<SnapshotProject, "gallery" | "updatedAt"> & {
    position: number;
    gallery: { src: string; caption: string; alt?: string }[];
  })[];
}

function inOrder(projects: Records["projects"]): Records["projects"] {
  return projects.toSorted((a, b) => a.position - b.position);
}

type SeedChange = [at: string, kind: string, title: string, detail: string, actor?: string];

/** A content file of the template, with these parts in the place of its own. */
export async function contentWith(name: string, parts: object): Promise<object> {
  const file = join(template, "app/src/content", name);
  return { ...(JSON.parse(await readFile(file, "utf8")) as object), ...parts };
}

async function readTemplate<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(join(template, "database", file), "utf8")) as T;
}

/** The sample records as one build sees them; the database is left out. */
export async function sampleSnapshot(): Promise<Snapshot> {
  const records = await readTemplate<Records>("projects.json");
  const changes = await readTemplate<SeedChange[]>("changelog.json");
  const media = new Map(records.media.map((item) => [item.src, item]));
  return {
    site: {
      baseUrl: "https://example.com",
      ownerName: "Mara Lindqvist",
      timeZone: "Europe/Stockholm",
    },
    projects: inOrder(records.projects).map((project) => {
      const gallery = project.gallery.map((item) => {
        const stored = media.get(item.src);
        if (!stored) throw new Error(`${item.src} is not among the media.`);
        const { src, width, height, kind, poster, placeholder, variants } = stored;
        const { caption, alt = stored.alt } = item;
        return { src, caption, alt, width, height, kind, poster, placeholder, variants };
      });
      return Object.assign({}, project, { updatedAt: "2026-11-09T10:00:00.000Z", gallery });
    }),
    changelog: changes.map(([at, kind, title, detail, actor]) => {
      return { at, kind, title, detail, actor: actor ?? "Mara Lindqvist" };
    }),
    redirects: [],
  };
}

async function buildIn(
  folder: string,
  snapshot: Snapshot,
  texts: Record<string, unknown>,
): Promise<{ site: string; log: string }> {
  const site = join(folder, "out");
  await mkdir(folder, { recursive: true });
  await symlink(join(platformRoot, "node_modules"), join(folder, "node_modules"));
  await cp(join(template, "app"), join(folder, "app"), {
    recursive: true,
    filter: (source) => !source.includes("/app/public/media"),
  });
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(join(folder, "app/src/content", name), JSON.stringify(text));
  }
  await writeFile(join(folder, "snapshot.json"), JSON.stringify(snapshot));
  const result = await run(nodeBinary, [import.meta.filename, folder, snapshot.site.baseUrl], {
    cwd: folder,
    env: {
      PATH: "/usr/bin:/bin",
      HOME: folder,
      NODE_ENV: "production",
      ASTRO_TELEMETRY_DISABLED: "1",
      ...compileCache(),
    },
  });
  const log = `${result.stdout}${result.stderr}`;
  if (result.exitCode !== 0) throw new Error(`The build failed:\n${log}`);
  await cp(join(template, "app/public/media"), join(site, "media"), { recursive: true });
  return { site, log };
}

/** Where the tests of one run keep what they make once: scripts/test.ts names the folder. */
const shelf = process.env["TEST_SHELF"];

/**
 * Builds the template with these records in `folder`, in a process of its own as the platform does,
 * and lays the media beside the pages. Gives the folder of the finished site and what the build said.
 * What another test of the run has built of the same is copied, unless it is to be built `anew`.
 * @param texts Content files to put in the place of the template's, by name.
 */
export async function buildTemplate(
  folder: string,
  snapshot: Snapshot,
  texts: Record<string, unknown> = {},
  { anew = false } = {},
): Promise<{ site: string; log: string }> {
  if (shelf === undefined || anew) return buildIn(folder, snapshot, texts);
  const kept = join(shelf, `site-${sha256Hex(JSON.stringify([snapshot, texts])).slice(0, 16)}`);
  const site = join(folder, "out");
  if (await exists(kept)) {
    await cp(kept, site, { recursive: true });
    return { site, log: "" };
  }
  const built = await buildIn(folder, snapshot, texts);
  const part = `${kept}.${process.pid}`;
  await cp(built.site, part, { recursive: true });
  // Whoever is second has built the same.
  await rename(part, kept).catch(() => rm(part, { recursive: true }));
  return built;
}

/** Makes a finished site the live release of an instance in `dir`. */
export async function makeLive(site: string, dir: string): Promise<InstancePaths> {
  const paths = instancePaths(dir);
  const artifact = await storeArtifact({
    outDir: site,
    mediaDir: join(dir, "none"),
    artifactsDir: paths.artifacts,
    bounds: { bytes: 2 ** 30, files: 10_000 },
  });
  await cp(artifact.dir, join(paths.releases, "1"), { recursive: true });
  await cp(`${artifact.dir}.json`, join(paths.releases, "1.json"));
  await symlink("releases/1", paths.current);
  return paths;
}

/** What the child process does: `template-site.ts <folder> <base URL>`. */
async function buildHere(folder: string, baseUrl: string): Promise<void> {
  await build(
    siteConfig({
      root: join(folder, "app"),
      outDir: join(folder, "out"),
      cacheDir: join(folder, "cache"),
      snapshotFile: join(folder, "snapshot.json"),
      baseUrl,
      shareImages: 2,
      search: { publishedParts: [], keep() {} },
    }),
  );
}

const [, script, folder, baseUrl] = process.argv;
if (script === import.meta.filename && folder && baseUrl) await buildHere(folder, baseUrl);
