import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pino from "pino";
import { prepareCopy } from "../../../packages/server/src/features/publish-targets/copy/site-copy.ts";
import {
  type Deliveries,
  makeDeliveries,
} from "../../../packages/server/src/features/publish-targets/deliveries.ts";
import { isForbiddenAddress } from "../../../packages/server/src/platform/checked-fetch.ts";
import type { KindDependencies } from "../../../packages/server/src/features/publish-targets/kinds/target-kind.ts";
import type { CopyForms } from "../../../packages/server/src/features/publish-targets/schema.ts";
import {
  makeTargets,
  type Targets,
} from "../../../packages/server/src/features/publish-targets/targets.ts";
import {
  contentType,
  type Manifest,
  urlPathOf,
} from "../../../packages/server/src/features/release/artifact/artifact.ts";
import { releaseArtifact } from "../../../packages/server/src/features/release/current-symlink.ts";
import type { Clock } from "../../../packages/server/src/kit/clock.ts";
import { systemClock } from "../../../packages/server/src/kit/clock.ts";
import { type Database, openDatabase } from "../../../packages/server/src/platform/db/connect.ts";
import { type InstancePaths, instancePaths } from "../../../packages/server/src/platform/paths.ts";
import { createKeys, type Keys, loadKeys } from "../../../packages/server/src/platform/secrets.ts";
import { copyMigratedDatabase } from "../migrated-database.ts";
import { testWorkers } from "../workers.ts";

const origin = "https://home.example";
const silentLog = pino({ level: "silent" });

/** A site whose releases are made of texts, with what sends them. */
export interface TargetSite extends AsyncDisposable {
  paths: InstancePaths;
  database: Database;
  keys: Keys;
  targets: Targets;
  deliveries: Deliveries;
  /** Makes a release of these files and lets it go live; returns its number. */
  publish(files: Record<string, string>, redirects?: Record<string, string>): Promise<number>;
  /** What has to be at a target: the live release as it is sent. */
  copy(forms?: CopyForms): Promise<Map<string, string>>;
}

export interface TargetSiteOptions extends Partial<
  Pick<KindDependencies, "netlifyUrl" | "cloudflareUrl" | "log" | "caFile">
> {
  clock?: Clock;
}

/** An artifact of texts, released as the publisher does it. */
export async function publishFiles(
  paths: InstancePaths,
  files: Record<string, string>,
  redirects: Record<string, string> = {},
): Promise<number> {
  const entries = Object.entries(files).map(([file, text]) => {
    const hash = createHash("sha256").update(text).digest("hex");
    const bytes = Buffer.byteLength(text);
    return { file, hash, bytes, type: contentType(file), encodings: {} };
  });
  const sha = createHash("sha256")
    .update(JSON.stringify([entries, redirects]))
    .digest("hex");
  const dir = join(paths.artifacts, sha);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  const manifest: Manifest = {
    sha,
    pages: entries.filter(({ type }) => type.startsWith("text/html")).length,
    bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
    files: Object.fromEntries(entries.map((entry) => [urlPathOf(entry.file), entry])),
    redirects,
  };
  await writeFile(`${dir}.json`, JSON.stringify(manifest));
  return releaseArtifact(paths, { sha, dir }, { keep: 10 });
}

/** Makes the instance of a target site in a folder. */
export async function installTargetSite(dir: string): Promise<void> {
  const paths = instancePaths(dir);
  await mkdir(paths.data, { recursive: true });
  await createKeys(paths.keys);
  await copyMigratedDatabase(paths.database);
}

/** Opens an installed target site; several processes can have it open. */
export async function openTargetSite(
  dir: string,
  { clock = systemClock, log = silentLog, ...urls }: TargetSiteOptions = {},
): Promise<TargetSite> {
  const paths = instancePaths(dir);
  const keys = await loadKeys(paths.keys);
  const database = openDatabase({ url: null, file: paths.database });
  const { db } = database;
  const kinds: KindDependencies = {
    clock,
    log,
    random: () => 0.5,
    // Other servers' pauses aren't what is tested.
    pause: async (_, signal) => delay(1, undefined, { signal }),
    isForbidden: isForbiddenAddress,
    netlifyUrl: "https://netlify.invalid",
    cloudflareUrl: "https://cloudflare.invalid",
    ...urls,
  };
  const workers = testWorkers;
  const common = { db, paths, keyring: keys.settings, kinds };
  const deliveries = makeDeliveries({ ...common, workers, baseUrl: `${origin}/`, everyMs: 0 });
  return {
    paths,
    database,
    keys,
    targets: makeTargets({ ...common, clock, wake: () => {} }),
    deliveries,
    publish: (files, redirects) => publishFiles(paths, files, redirects),
    async copy(forms = "off") {
      const { release } = await makeTargets({ ...common, clock, wake: () => {} }).list();
      const folder = join(dir, "expected");
      const { signal } = new AbortController();
      const options = { release: release ?? 0, forms, origin, folder, signal };
      const copy = await prepareCopy({ paths, workers }, options);
      const texts = copy.files.map(
        async ({ path }) => [path, await readFile(join(copy.folder, path), "utf8")] as const,
      );
      return new Map(await Promise.all(texts));
    },
    async [Symbol.asyncDispose]() {
      await deliveries.close();
      await database.close();
    },
  };
}

/** The pages and assets of a small site; `text` is what a release has of its own. */
export function sampleFiles(text: string): Record<string, string> {
  const page = (heading: string) =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${heading}</title></head><body><h1>${heading}</h1><a href="/account/">Account</a></body></html>`;
  return {
    "index.html": page(`Home ${text}`),
    "about/index.html": page("About"),
    "contact/index.html": page("Contact").replace(
      "</h1>",
      `</h1><form method="post" action="/api/contact"><input name="name"><button>Send</button></form><a href="mailto:me@home.example">Email</a>`,
    ),
    "404.html": page("Not found"),
    "_astro/style.css": `/* ${text} */`,
    "media/2026/a b+c.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "robots.txt": "User-agent: *\n",
  };
}
