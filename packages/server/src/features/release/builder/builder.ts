import "./hide-denied-files.ts";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { describeErrors } from "./builder-errors.ts";
import { givenFolder } from "./compiled-store.ts";
import { publishedImagesFolder, publishedResumeFile } from "./link-published-files.ts";
import { openKeptFiles } from "./kept-files.ts";
import type { BuilderJob, BuilderMessage } from "./builder-protocol.ts";
import type { Snapshot } from "../snapshot.ts";

// The program of a builder process: it runs inside the sandbox, makes itself warm, waits for one job on
// stdin, builds, reports on descriptor 3 and ends. Nothing it says is trusted by who started it.

const { values } = parseArgs({
  options: {
    site: { type: "string" },
    out: { type: "string" },
    temporary: { type: "string" },
    ready: { type: "string" },
  },
});
const places = {
  site: values.site ?? "/site",
  out: values.out ?? "/out",
  temporary: values.temporary ?? "/tmp",
};

function report(message: BuilderMessage): void {
  writeSync(3, `${JSON.stringify(message)}\n`);
}

/** What was printed is queued while the pipe is full: it goes out before the result does. */
async function flushOutput(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((written) => void stream.write("", () => written()));
  }
}

const sampleSnapshot: Snapshot = {
  site: { baseUrl: "http://localhost", ownerName: "Sample", timeZone: "UTC" },
  projects: [
    {
      slug: "sample",
      name: "Sample",
      summary: "A sample.",
      lede: "A sample.",
      body: "# Sample\n\nText with **bold** and `code`.",
      kind: "Sample",
      period: "2026",
      role: "Sample",
      categories: ["Sample"],
      stack: ["Sample"],
      skills: [{ group: "Sample", items: ["Sample"] }],
      metrics: [{ value: "1", label: "Sample" }],
      gallery: [],
      reelUrl: null,
      updatedAt: "2026-01-01T00:00:00.000Z",
    },
  ],
  changelog: [
    {
      kind: "feature",
      title: "Sample",
      detail: "",
      at: "2026-01-01T00:00:00.000Z",
      actor: "Sample",
    },
  ],
  redirects: [],
};

/** What compiles a site. Loading it takes longer than rendering one, so that is done where it's needed. */
async function loadAstro() {
  const [{ build }, { siteConfig }, { makeSourceTagger }] = await Promise.all([
    import("astro"),
    import("./site-config.ts"),
    import("../source-tags/tagger.ts"),
  ]);
  return { build, siteConfig, makeSourceTagger };
}

/**
 * Builds the template once into scratch: it loads and compiles all that a build needs, so that the
 * job's own build runs on warm code. Only the program's own files take part, never a site's.
 */
async function warmUp(): Promise<void> {
  const warm = join(places.temporary, "warm");
  const template = resolve(import.meta.dirname, "../../../../../template");
  const snapshotFile = join(warm, "snapshot.json");
  await mkdir(warm, { recursive: true });
  await cp(template, warm, {
    recursive: true,
    filter: (source) => source !== join(template, "app/public/media"),
  });
  await writeFile(snapshotFile, JSON.stringify(sampleSnapshot));
  const root = join(warm, "app");
  const { build, siteConfig, makeSourceTagger } = await loadAstro();
  await build({
    ...siteConfig({
      root,
      outDir: join(warm, "out"),
      cacheDir: join(warm, "cache"),
      snapshotFile,
      baseUrl: sampleSnapshot.site.baseUrl,
      tagger: makeSourceTagger(root),
    }),
    logLevel: "silent",
  });
}

async function nextJob(): Promise<BuilderJob> {
  for await (const line of createInterface({ input: process.stdin })) {
    return JSON.parse(line) as BuilderJob;
  }
  process.exit(0);
}

const keptFiles = openKeptFiles(places.site);

function siteOf(job: BuilderJob) {
  return {
    root: join(places.site, "app"),
    outDir: places.out,
    cacheDir: join(places.temporary, "cache"),
    snapshotFile: join(places.site, "snapshot.json"),
    baseUrl: job.baseUrl,
    published: join(places.site, publishedImagesFolder),
    resumeFile: { published: join(places.site, publishedResumeFile), code: job.resumeCode },
    shareImages: job.shareImages,
    keep: keptFiles.keepImage,
    ...(job.searchParts && { search: { publishedParts: job.searchParts, keep: keepParts } }),
  };
}

/** The parts of the live search index that belong to what was built last. */
let keptSearchParts: string[] = [];
const keepParts = (names: string[]) => {
  keptSearchParts = names;
};

/** Renders the site with the code that was compiled for it; false: that can't be done. */
async function renderWithCompiled(job: BuilderJob): Promise<boolean> {
  const { published, shareImages: most, keep, ...site } = siteOf(job);
  const sharePictures = { published, out: site.outDir, most, keep };
  const { renderCompiled } = await import("./render-compiled.ts");
  const compiled = join(places.site, givenFolder);
  try {
    await renderCompiled({ ...site, sharePictures, compiled, keptFiles });
    return true;
  } catch (error) {
    // What is wrong with the site, Astro's own build says better.
    report({ type: "unusable", reason: describeErrors(error, places)[0] ?? "" });
    return false;
  }
}

async function compileAndRender(job: BuilderJob): Promise<void> {
  const { build, siteConfig, makeSourceTagger } = await loadAstro();
  keptFiles.reset();
  const config = siteOf(job);
  const tagger = job.tags ? makeSourceTagger(config.root) : undefined;
  const { keepCompiled } = job;
  await build(siteConfig({ ...config, keepCompiled, ...(tagger && { tagger }) }));
  if (tagger && !(await tagger.finish(places.out))) await build(siteConfig(config));
}

async function serve(job: BuilderJob): Promise<void> {
  const started = performance.now();
  const reusedCode = job.compiled && (await renderWithCompiled(job));
  if (!reusedCode) await compileAndRender(job);
  keptFiles.write(places.out);
  await flushOutput();
  const durationMs = Math.round(performance.now() - started);
  report({ type: "done", durationMs, reusedCode, keptSearchParts });
}

if (values.ready === "code") {
  await import("./render-compiled.ts");
  await warmUp();
  flushCompileCache();
  process.exit(0);
}
if (values.ready === "render") await import("./render-compiled.ts");
if (values.ready === "compile") {
  await warmUp().catch((error: unknown) => {
    report({ type: "cold", reason: describeErrors(error, places)[0] ?? "" });
  });
}
report({ type: "ready" });
const job = await nextJob();
try {
  await serve(job);
  process.exit(0);
} catch (error) {
  await flushOutput();
  report({ type: "failed", errors: describeErrors(error, places) });
  process.exit(1);
}
