import { hash } from "node:crypto";
import { mkdir, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  contentType,
  type Manifest,
} from "../../packages/server/src/features/release/artifact/artifact.ts";
import {
  type Artifact,
  type BuildJob,
  makeSiteBuilder,
  type SiteBuilder,
} from "../../packages/server/src/features/release/builder/build.ts";
import type { Snapshot } from "../../packages/server/src/features/release/snapshot.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { launchBrowser } from "../support/browser.ts";
import { serveResponses } from "../support/http-site.ts";
import { sharedCode, withSharedCode } from "../support/builder-code.ts";
import { type TempFolder, tempFolder } from "../support/temp.ts";
import { copyTemplate } from "../support/template.ts";
import { sampleSnapshot } from "./template-site.ts";

// A site of so many projects that its search index has parts, built after small changes and whole.

let folder: TempFolder;
/** Builds with what is live, as an instance does. */
let builder: SiteBuilder;
/** Has nothing to use again. */
let whole: SiteBuilder;
let snapshot: Snapshot;

const at = (name: string) => join(folder.path, name);

function makeBuilder(name: string, current?: string): Promise<SiteBuilder> {
  const opening = makeSiteBuilder({
    paths: {
      artifacts: at(`${name}/artifacts`),
      builders: at(`${name}/builders`),
      compiledSites: at(`${name}/compiled`),
      ...sharedCode,
      ...(current && { current }),
    },
    limits: { ...defaultLimits.build, warm: false },
    sandbox: "auto",
    log: pino({ level: "silent" }),
    clock: systemClock,
  });
  return withSharedCode(opening);
}

/** The sample records and many projects that share one image. */
async function manyProjects(count: number): Promise<Snapshot> {
  const sample = await sampleSnapshot();
  const [first] = sample.projects;
  if (first === undefined) throw new Error("There is no project.");
  const more = Array.from({ length: count }, (_, index) => {
    return { ...first, name: "Quay", slug: `quay-${index}`, body: `Berth number${index} is free.` };
  });
  return { ...sample, projects: [...sample.projects, ...more] };
}

beforeAll(async () => {
  folder = await tempFolder();
  await copyTemplate(at("content"));
  snapshot = await manyProjects(300);
  builder = await makeBuilder("kept", at("current"));
  whole = await makeBuilder("whole");
});
afterAll(async () => {
  await Promise.all([builder.close(), whole.close()]);
  await folder.remove();
});

const job = (sourceDir = at("content")): BuildJob => {
  return { sourceDir, mediaDir: join(sourceDir, "app/public/media"), snapshot };
};

async function publish({ dir }: Artifact): Promise<void> {
  await rm(at("current"), { force: true });
  await symlink(dir, at("current"));
}

async function lacksImages({ dir }: Artifact): Promise<boolean> {
  const manifest = JSON.parse(await readFile(`${dir}.json`, "utf8")) as Manifest;
  return manifest.lacksShareImages ?? false;
}

/** The files that are not as the manifest says. */
async function damagedFiles({ dir }: Artifact): Promise<string[]> {
  const manifest = JSON.parse(await readFile(`${dir}.json`, "utf8")) as Manifest;
  const damaged: string[] = [];
  for (const { file, hash: expected, encodings } of Object.values(manifest.files)) {
    const content = await readFile(join(dir, file));
    const unpacked = [
      ...(encodings.br ? [brotliDecompressSync(await readFile(join(dir, `${file}.br`)))] : []),
      ...(encodings.gzip ? [gunzipSync(await readFile(join(dir, `${file}.gz`)))] : []),
    ];
    const isSame = unpacked.every((bytes) => bytes.equals(content));
    if (!isSame || hash("sha256", content, "hex") !== expected) damaged.push(file);
  }
  return damaged;
}

const imagesOf = async ({ dir }: Artifact) => readdir(join(dir, "og"));
const partsOf = async ({ dir }: Artifact): Promise<string[]> =>
  JSON.parse(await readFile(join(dir, "pagefind/parts.json"), "utf8")) as string[];

function editProject(slug: string, edit: object): void {
  const projects = snapshot.projects.map((project) =>
    project.slug === slug ? { ...project, ...edit } : project,
  );
  snapshot = { ...snapshot, projects };
}

/** What a visitor finds, by the paths of the pages. */
async function search(dir: string, words: readonly string[]): Promise<string[][]> {
  await using site = await serveResponses(async ({ url }) => {
    const path = new URL(url, "http://localhost").pathname;
    const file = path.endsWith("/") ? `${path}index.html` : path;
    const body = await readFile(join(dir, file)).catch(() => undefined);
    return body && { body, type: contentType(file) };
  });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const found: string[][] = [];
    for (const text of words) {
      await page.goto(`${site.origin}/search/?q=${encodeURIComponent(text)}`);
      await page.locator(".status", { hasText: text }).waitFor();
      const links = await page.locator(".found h2 a").all();
      found.push(
        await Promise.all(links.map(async (link) => (await link.getAttribute("href")) ?? "")),
      );
    }
    return found.map((links) => links.map((link) => new URL(link, site.origin).pathname));
  } finally {
    await browser.close();
  }
}

test("after small changes, the site equals that of a full build, and its search parts are found", async () => {
  editProject("quay-7", { body: "It has a submarine." });
  editProject("quay-11", { body: "It has a lighthouse." });
  const first = await builder.build(job());
  expect(await imagesOf(first)).toHaveLength(4);
  expect(await lacksImages(first)).toBe(true);
  await publish(first);
  // The others, while nobody waits.
  const second = await builder.build({ ...job(), isInBackground: true });
  expect(await lacksImages(second)).toBe(false);
  expect((await imagesOf(second)).length).toBeGreaterThan(10);
  await publish(second);
  const before = await partsOf(second);
  expect(before.length).toBeGreaterThan(1);

  editProject("quay-7", { name: "Harbour office", body: "It has a zeppelin." });
  snapshot = { ...snapshot, projects: snapshot.projects.filter(({ slug }) => slug !== "quay-11") };
  const third = await builder.build(job());
  expect([third.reusedCode, await lacksImages(third)]).toEqual([true, false]);
  const after = await partsOf(third);
  const kept = after.filter((part) => before.includes(part));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(after.length);
  const wholly = await whole.build({ ...job(), isInBackground: true });
  expect([wholly.reusedCode, wholly.sha]).toEqual([false, third.sha]);
  expect(await damagedFiles(third)).toEqual([]);
  const inode = async ({ dir }: Artifact, path: string) => (await stat(join(dir, path))).ino;
  for (const path of ["projects/quay-42/index.html", "projects/quay-42/index.html.br"]) {
    expect(await inode(third, path)).toBe(await inode(second, path));
  }

  const [zeppelin, berth, removed, replaced] = await search(third.dir, [
    "zeppelin",
    "number42",
    "lighthouse",
    "submarine",
  ]);
  expect([zeppelin, berth?.[0]]).toEqual([["/projects/quay-7/"], "/projects/quay-42/"]);
  // Pagefind finds words that begin alike.
  expect(removed).not.toContain("/projects/quay-11/");
  expect(replaced).not.toContain("/projects/quay-7/");
});

test("abuse 184: page code can't get anything else from the live site into its build", async () => {
  const live = at("live");
  const part = "0a".repeat(16);
  const files = ["pagefind-entry.json", "index/en_1.pf_index", "fragment/en_1.pf_fragment"];
  for (const file of files) {
    await mkdir(dirname(join(live, "pagefind", part, file)), { recursive: true });
    await writeFile(join(live, "pagefind", part, file), "live");
  }
  await rm(at("current"), { force: true });
  await symlink(live, at("current"));
  await mkdir(at("target"));
  const build = async (kept: string[], link: boolean) => {
    const report = JSON.stringify({ type: "done", reusedCode: false, keptSearchParts: kept });
    const code = [
      'import fs from "node:fs";',
      'const out = fs.existsSync("/out") ? "/out" : SHARE_PICTURES.out;',
      'fs.writeFileSync(`${out}/page.txt`, "written");',
      link ? `fs.symlinkSync(${JSON.stringify(at("target"))}, \`\${out}/pagefind\`);` : "",
      `fs.writeSync(3, ${JSON.stringify(`${report}\n`)});`,
      "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000);",
    ].join("\n");
    const dir = at(`hostile-${kept.length}-${link}`);
    await mkdir(join(dir, "app/src/pages"), { recursive: true });
    await writeFile(join(dir, "app/src/pages/index.astro"), `---\n${code}\n---\n<p>x</p>`);
    return builder.build(job(dir));
  };
  const taken = await build([part, "..", "../..", `${part}/index`, "0b".repeat(16)], false);
  const found = await readdir(taken.dir, { recursive: true, withFileTypes: true });
  expect(found.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).toSorted()).toEqual([
    "en_1.pf_fragment",
    "en_1.pf_index",
    "page.txt",
    "pagefind-entry.json",
  ]);
  await expect(build([part], true)).rejects.toThrow("no folder");
  expect(await readdir(at("target"))).toEqual([]);
});

test("abuse 188: page code can't have a live page published again that it hasn't rendered", async () => {
  const site = async (name: string, code: string) => {
    const text = `---\n${code}\n---\n<p>x</p>`;
    await mkdir(join(at(name), "app/src/pages"), { recursive: true });
    await writeFile(join(at(name), "app/src/pages/index.astro"), text);
    return job(at(name));
  };
  const shown = await site("shown", "");
  await writeFile(at("shown/app/src/pages/secret.astro"), "<p>secret</p>");
  await publish(await builder.build(shown));
  const report = { type: "done", reusedCode: false, keptSearchParts: [] };
  const hostile = async (name: string, keep: string) => {
    const code = [
      'import fs from "node:fs";',
      'const out = fs.existsSync("/out") ? "/out" : SHARE_PICTURES.out;',
      'const site = fs.existsSync("/site") ? "/site" : `${out}/../site`;',
      'const offered = JSON.parse(fs.readFileSync(`${site}/published/files.json`, "utf8"));',
      "fs.writeFileSync(`${out}/page.txt`, Object.keys(offered).join());",
      keep,
      `fs.writeSync(3, ${JSON.stringify(`${JSON.stringify(report)}\n`)});`,
      "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000);",
    ].join("\n");
    return builder.build(await site(name, code));
  };
  const all = "fs.writeFileSync(`${out}/.kept.json`, JSON.stringify(offered));";
  const asked = "for (const path of Object.keys(offered)) SHARE_PICTURES.keep(path);";
  const { dir } = await hostile("keeps-all", `${all}\n${asked}`);
  expect(await readFile(join(dir, "page.txt"), "utf8")).toContain("secret/index.html");
  expect(await readdir(dir)).toEqual(["page.txt"]);
  const link = 'fs.symlinkSync("/etc/passwd", `${out}/.kept.json`);';
  await expect(hostile("keeps-link", link)).rejects.toThrow("which files it keeps");
});
