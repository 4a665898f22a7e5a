import { lstat, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import type { ManifestFile } from "./artifact.ts";
import { readManifest } from "./artifact.ts";
import { type ArtifactInput, storeArtifact, type StoredArtifact } from "./artifact-store.ts";

let folder: TempFolder;
let turn = 0;

beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const page = (text: string) =>
  `<!doctype html><title>${text}</title>${`<p>${text}.</p>`.repeat(80)}`;
const site = { "index.html": page("Home"), "about/index.html": page("About"), "x.css": "a{}" };

async function store(
  files: Record<string, string>,
  options: Partial<ArtifactInput> = {},
): Promise<StoredArtifact> {
  turn += 1;
  const outDir = join(folder.path, `out-${turn}`);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(outDir, path)), { recursive: true });
    await writeFile(join(outDir, path), text);
  }
  const artifactsDir = join(folder.path, "artifacts");
  const bounds = { bytes: 1024 * 1024, files: 1000 };
  return storeArtifact({
    outDir,
    mediaDir: join(folder.path, "none"),
    artifactsDir,
    bounds,
    ...options,
  });
}

/** What a build keeps of an artifact. */
async function keptOf({ dir, verified }: StoredArtifact, paths: string[]) {
  const { files } = await readManifest(`${dir}.json`);
  const entries = Object.values<ManifestFile>(files).filter(({ file }) => paths.includes(file));
  return { kept: { release: dir, files: entries }, verified };
}

test("kept files are those of the release, and the artifact is as if all were written", async () => {
  const first = await store(site);
  const changed = { ...site, "index.html": page("Changed") };
  const { "about/index.html": _, "x.css": __, ...written } = changed;
  const kept = await store(written, await keptOf(first, ["about/index.html", "x.css"]));
  const manifest = await readManifest(`${kept.dir}.json`);
  for (const path of ["about/index.html", "about/index.html.br", "about/index.html.gz", "x.css"]) {
    const [live, own] = await Promise.all([first, kept].map(({ dir }) => lstat(join(dir, path))));
    expect(own?.ino).toBe(live?.ino);
  }
  expect([...kept.verified.keys()].toSorted()).toEqual(Object.keys(site).toSorted());
  await rm(join(folder.path, "artifacts"), { recursive: true });
  const whole = await store(changed);
  expect(kept.sha).toBe(whole.sha);
  expect(manifest.files).toEqual((await readManifest(`${whole.dir}.json`)).files);
});

test("what the output has goes before what is kept, also in a compressed sibling's place", async () => {
  const first = await store(site);
  const written = { "index.html": page("New"), "about/index.html.br": "text" };
  const artifact = await store(written, await keptOf(first, Object.keys(site)));
  const read = (path: string) => readFile(join(artifact.dir, path), "utf8");
  expect(await read("index.html")).toBe(page("New"));
  expect([await read("about/index.html"), await read("about/index.html.br")]).toEqual([
    page("About"),
    "text",
  ]);
  const { files } = await readManifest(`${artifact.dir}.json`);
  expect(files["/about/"]?.encodings).toEqual({});
});

test("kept files count for the bounds, and a release that is gone is a conflict", async () => {
  const first = await store(site);
  const kept = await keptOf(first, Object.keys(site));
  const bounds = { bytes: first.bytes, files: 1000 };
  await expect(store({ "more.txt": "more" }, { ...kept, bounds })).rejects.toThrow("larger than");
  await rm(first.dir, { recursive: true });
  await expect(store({ "more.txt": "more" }, kept)).rejects.toMatchObject({ code: "conflict" });
});

test("a stored content that was damaged is replaced by what the build has made", async () => {
  const first = await store(site);
  await writeFile(join(first.dir, "about/index.html"), page("Abuse"));
  const second = await store({ ...site, "index.html": page("Changed") });
  expect(await readFile(join(second.dir, "about/index.html"), "utf8")).toBe(page("About"));
  const third = await store({ ...site, "index.html": page("Again") });
  expect(await readFile(join(third.dir, "about/index.html"), "utf8")).toBe(page("About"));
});
