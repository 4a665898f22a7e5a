import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import {
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import { AppError } from "../../../kit/errors.ts";
import { sha256Hex } from "../../../kit/hash.ts";
import { exists } from "../../../platform/files.ts";
import { storeArtifact } from "./artifact-store.ts";
import { pruneArtifacts } from "./prune.ts";
import { readManifest } from "./artifact.ts";
import { inlineScripts } from "./script-sources.ts";
import { isStored, removeArtifacts } from "./stored-artifacts.ts";

let folder: TempFolder;
const bounds = { bytes: 1024 * 1024, files: 1000 };

beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const page = (text: string) =>
  `<!doctype html><html lang="en"><title>${text}</title><p>${`${text} and more of it. `.repeat(60)}</p><script>console.log("${text}")</script></html>`;

async function writeTree(name: string, files: Record<string, string>): Promise<string> {
  const root = join(folder.path, name);
  await mkdir(root, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

async function store(files: Record<string, string>, mediaDir = join(folder.path, "no-media")) {
  const outDir = await writeTree(`out-${Math.random()}`, files);
  const artifactsDir = join(folder.path, "artifacts");
  await mkdir(artifactsDir, { recursive: true });
  return storeArtifact({ outDir, mediaDir, artifactsDir, bounds });
}

test("an artifact holds the output's bytes, its media as links, and a manifest of all", async () => {
  const media = await writeTree("media", { "2026/photo.webp": "picture", "2026/.hidden": "no" });
  const artifact = await store(
    { "index.html": page("Home"), "about/index.html": page("About"), "_astro/x.css": "a{}" },
    media,
  );
  const manifest = await readManifest(`${artifact.dir}.json`);
  expect(Object.keys(manifest.files).toSorted()).toEqual([
    "/",
    "/_astro/x.css",
    "/about/",
    "/media/2026/photo.webp",
  ]);
  expect(artifact).toMatchObject({ sha: manifest.sha, pages: 2, files: 4, bytes: manifest.bytes });
  const home = manifest.files["/"];
  const body = await readFile(join(artifact.dir, "index.html"), "utf8");
  expect(body).toBe(page("Home"));
  expect(home).toMatchObject({
    file: "index.html",
    hash: sha256Hex(body),
    bytes: body.length,
    type: "text/html; charset=utf-8",
    scripts: inlineScripts(body),
  });
  const linked = await lstat(join(artifact.dir, "media/2026/photo.webp"));
  expect(linked.ino).toBe((await lstat(join(media, "2026/photo.webp"))).ino);
});

test("abuse 167: media that are deleted while they are listed are no part of the artifact", async () => {
  const media = await writeTree("media", { "2026/a.webp": "gone", "2027/b.webp": "kept" });
  // What is known of media is read between their listing and their hashing: here it waits for us.
  const artifactsDir = join(folder.path, "artifacts");
  await mkdir(artifactsDir);
  execFileSync("mkfifo", [join(artifactsDir, ".media.json")]);
  const storing = store({ "index.html": page("Home") }, media);
  const known = await open(join(artifactsDir, ".media.json"), "w");
  await rm(join(media, "2026"), { recursive: true });
  await known.writeFile("{}");
  await known.close();
  const { files } = await readManifest(`${(await storing).dir}.json`);
  expect(Object.keys(files).toSorted()).toEqual(["/", "/media/2027/b.webp"]);
});

test("abuse 167: so are those that are deleted before they are placed", async () => {
  const media = await writeTree("media", { "a.webp": "gone", "b.webp": "kept" });
  const outDir = await writeTree("out", { "index.html": page("Home") });
  const artifactsDir = join(folder.path, "artifacts");
  // What is withheld is asked for between the hashing of media and their placing.
  class Withheld extends Set<string> {
    override has(path: string): boolean {
      rmSync(join(media, "a.webp"), { force: true });
      return super.has(path);
    }
  }
  const withheld = new Withheld();
  const artifact = await storeArtifact({ outDir, mediaDir: media, artifactsDir, bounds, withheld });
  const manifest = await readManifest(`${artifact.dir}.json`);
  expect(Object.keys(manifest.files).toSorted()).toEqual(["/", "/media/b.webp"]);
  // It is the very artifact that is made without the file.
  const again = await store({ "index.html": page("Home") }, media);
  expect(again).toMatchObject({ sha: artifact.sha, dir: artifact.dir, files: 2 });
});

test("compressed siblings decode to the file and are told in the manifest", async () => {
  const artifact = await store({ "index.html": page("Home"), "tiny.txt": "short" });
  const { files } = await readManifest(`${artifact.dir}.json`);
  const br = await readFile(join(artifact.dir, "index.html.br"));
  const gz = await readFile(join(artifact.dir, "index.html.gz"));
  expect(brotliDecompressSync(br).toString()).toBe(page("Home"));
  expect(gunzipSync(gz).toString()).toBe(page("Home"));
  expect(files["/"]?.encodings).toEqual({ br: { bytes: br.length }, gzip: { bytes: gz.length } });
  expect(files["/tiny.txt"]?.encodings).toEqual({});
  expect(await exists(join(artifact.dir, "tiny.txt.br"))).toBe(false);
});

test("a compressed sibling never takes the place of a file that the site has", async () => {
  const text = "the same words again ".repeat(100);
  const artifact = await store({
    "index.html": page("x"),
    "a.txt": text,
    "a.txt.gz": "a download",
  });
  expect(await readFile(join(artifact.dir, "a.txt.gz"), "utf8")).toBe("a download");
  const { files } = await readManifest(`${artifact.dir}.json`);
  expect(files["/a.txt"]?.encodings).toEqual({});
});

test("the same bytes are the same artifact; what did not change is shared with the one before", async () => {
  const first = await store({ "index.html": page("Home"), "about/index.html": page("About") });
  const again = await store({ "index.html": page("Home"), "about/index.html": page("About") });
  expect(again.sha).toBe(first.sha);
  const second = await store({ "index.html": page("New"), "about/index.html": page("About") });
  expect(second.sha).not.toBe(first.sha);
  for (const file of ["about/index.html", "about/index.html.br", "about/index.html.gz"]) {
    const [before, after] = await Promise.all([
      lstat(join(first.dir, file)),
      lstat(join(second.dir, file)),
    ]);
    expect(after.ino).toBe(before.ino);
  }
  const { files } = await readManifest(`${second.dir}.json`);
  expect(files["/about/"]?.encodings.br).toBeDefined();
});

test("abuse 112: dotfiles and source maps of the output don't become part of the artifact", async () => {
  const artifact = await store({
    "index.html": page("Home"),
    ".env": "SECRET=1",
    ".git/config": "x",
    "_astro/x.js.map": "{}",
    "sub/.htpasswd": "x",
    ".well-known/security.txt": "Contact: mailto:x@example.com",
  });
  const { files } = await readManifest(`${artifact.dir}.json`);
  expect(Object.keys(files).toSorted()).toEqual(["/", "/.well-known/security.txt"]);
});

test("abuse 73: a link, FIFO, socket or device in the output is refused, and nothing stays", async () => {
  const writers: Record<string, (path: string) => Promise<unknown>> = {
    link: (path) => symlink("/etc/passwd", path),
    fifo: async (path) => execFileSync("mkfifo", [path]),
    socket: (path) =>
      new Promise((resolve) => {
        const server = createServer().listen(path, () => resolve(server));
        server.unref();
      }),
  };
  if (process.getuid?.() === 0) {
    writers["device"] = async (path) => execFileSync("mknod", [path, "c", "1", "3"]);
  }
  const artifactsDir = join(folder.path, "artifacts");
  for (const [name, make] of Object.entries(writers)) {
    const outDir = await writeTree(`out-${name}`, { "index.html": page("x"), "deep/a.txt": "a" });
    await make(join(outDir, "deep", "bad"));
    const refusal = await storeArtifact({
      outDir,
      mediaDir: join(folder.path, "none"),
      artifactsDir,
      bounds,
    }).catch((error: unknown) => error);
    expect([name, refusal]).toEqual([name, expect.any(AppError)]);
    expect((refusal as AppError).code).toBe("validation_failed");
    expect((refusal as AppError).message).toContain("deep/bad");
    expect((await readdir(artifactsDir)).filter((entry) => entry !== ".store")).toEqual([]);
  }
});

test("abuse 74: more bytes or files than the bounds are refused before they are read", async () => {
  const outDir = await writeTree("big", { "index.html": page("x") });
  await writeFile(join(outDir, "sparse.bin"), "");
  execFileSync("truncate", ["-s", "10G", join(outDir, "sparse.bin")]);
  const input = { outDir, mediaDir: join(folder.path, "none"), artifactsDir: folder.path };
  await expect(storeArtifact({ ...input, bounds })).rejects.toThrow(/larger than/);
  await expect(storeArtifact({ ...input, bounds: { bytes: 2 ** 40, files: 1 } })).rejects.toThrow(
    /more than 1/,
  );
});

test("pruning keeps the last used and those in use, and drops stored contents that nobody holds", async () => {
  const artifactsDir = join(folder.path, "artifacts");
  const made = [];
  for (let i = 0; i < 4; i += 1) {
    const artifact = await store({ "index.html": page(`Page ${i}`) });
    await utimes(`${artifact.dir}.json`, new Date(i * 1000), new Date(i * 1000));
    made.push(artifact.sha);
  }
  const [oldest = "", second = "", third = "", newest = ""] = made;
  const removed = await pruneArtifacts(artifactsDir, {
    keep: 1,
    inUse: new Set([oldest]),
    nowMs: 0,
  });
  expect(removed.toSorted()).toEqual([second, third].toSorted());
  expect(await exists(join(artifactsDir, newest, "index.html"))).toBe(true);
  expect(await exists(join(artifactsDir, oldest, "index.html.br"))).toBe(true);
  expect(await exists(join(artifactsDir, `${second}.json`))).toBe(false);
  // Two artifacts stay, each with one page in three forms.
  expect(await readdir(join(artifactsDir, ".store"))).toHaveLength(6);
});

test("two processes that prune at once come to the same", async () => {
  const artifactsDir = join(folder.path, "artifacts");
  const retained = await store({ "index.html": page("Kept") });
  for (let i = 0; i < 8; i += 1) {
    const artifact = await store({ "index.html": page(`Page ${i}`) });
    await utimes(`${artifact.dir}.json`, new Date(0), new Date(0));
  }
  const options = { keep: 1, inUse: new Set<string>(), nowMs: 0 };
  await Promise.all([1, 2, 3].map(() => pruneArtifacts(artifactsDir, options)));
  const left = (await readdir(artifactsDir)).filter((name) => !name.startsWith("."));
  expect(left.toSorted()).toEqual([retained.sha, `${retained.sha}.json`]);
});

describe("an artifact whose removal was cut short", () => {
  const site = { "index.html": page("Home"), "about/index.html": page("About") };
  const inArtifacts = (name: string) => join(folder.path, "artifacts", name);

  test("is made anew by the next build of the same site, whole", async () => {
    const { sha, dir } = await store(site);
    await rm(`${dir}.json`);
    await rm(join(dir, "about"), { recursive: true });
    expect((await store(site)).sha).toBe(sha);
    expect(await readFile(join(dir, "about/index.html"), "utf8")).toBe(page("About"));
    expect((await readdir(dir)).toSorted()).toContain("index.html.br");
  });

  test("goes with the next pruning, with all that its writers left", async () => {
    const retained = await store({ "index.html": page("Kept") });
    const gone = await store(site);
    await rm(`${gone.dir}.json`);
    const temporary = `${gone.sha}.json.0123456789ab.tmp`;
    await writeFile(inArtifacts(temporary), "{");
    await utimes(inArtifacts(temporary), new Date(0), new Date(0));
    await mkdir(inArtifacts(".gone-1-0123456789ab/about"), { recursive: true });
    await writeFile(inArtifacts(`${retained.sha}.json.ba9876543210.tmp`), "{");
    await pruneArtifacts(inArtifacts(""), { keep: 9, inUse: new Set(), nowMs: Date.now() });
    expect((await readdir(inArtifacts(""))).toSorted()).toEqual(
      [
        ".lock",
        ".store",
        retained.sha,
        `${retained.sha}.json`,
        `${retained.sha}.json.ba9876543210.tmp`,
      ].toSorted(),
    );
  });
});

test("what is built again while it is being removed is whole", async () => {
  const site = { "index.html": page("Home"), "about/index.html": page("About") };
  const { dir } = await store(site);
  // That takes a while.
  await mkdir(join(dir, "a"));
  for (let n = 0; n < 10_000; n += 1) writeFileSync(join(dir, `a/${n}`), "");
  const options = { keep: 0, inUse: new Set<string>(), nowMs: 0 };
  const pruning = pruneArtifacts(join(folder.path, "artifacts"), options);
  while (existsSync(`${dir}.json`)) await turn();
  await store(site);
  await pruning;
  expect(await isStored(dir)).toBe(true);
  const { files } = await readManifest(`${dir}.json`);
  for (const { file } of Object.values(files)) {
    expect([file, await exists(join(dir, file))]).toEqual([file, true]);
  }
});

test("an artifact that was used since it was found to be old stays", async () => {
  const artifactsDir = join(folder.path, "artifacts");
  const { sha, dir } = await store({ "index.html": page("Home") });
  await utimes(`${dir}.json`, new Date(0), new Date(0));
  const surplus = [{ sha, usedAt: 0 }];
  await store({ "index.html": page("Home") });
  expect(await removeArtifacts(artifactsDir, surplus)).toEqual([]);
  expect(await isStored(dir)).toBe(true);
  await utimes(`${dir}.json`, new Date(0), new Date(0));
  expect(await removeArtifacts(artifactsDir, surplus)).toEqual([sha]);
  expect(await isStored(dir)).toBe(false);
});

test("inline scripts are named by the hash that a browser computes; data blocks and files are not", () => {
  const html = `<script>alert(1)</script><script src="/a.js"></script>
    <script type="application/ld+json">{"a":1}</script><script type="module" data-x="a>b">go()</script>`;
  expect(inlineScripts(html)).toEqual([
    // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
    "sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=",
    `sha256-${Buffer.from(sha256Hex("go()"), "hex").toString("base64")}`,
  ]);
});

test("an old address has a page that leads on, unless the site has one of its own there", async () => {
  const outDir = await writeTree("out-moved", {
    "index.html": page("Home"),
    "projects/new/index.html": page("New"),
    "projects/taken/index.html": page("Taken"),
    "projects/file": "text",
  });
  const artifactsDir = join(folder.path, "artifacts");
  const lead = (from: string) => ({ from: `/projects/${from}/`, to: "/projects/new/" });
  const list = [lead("taken"), lead("old"), lead("file")];
  const redirects = { baseUrl: "https://example.com", list };
  const input = { outDir, mediaDir: join(folder.path, "no-media"), artifactsDir, bounds };
  const artifact = await storeArtifact({ ...input, redirects });
  const manifest = await readManifest(`${artifact.dir}.json`);
  expect(manifest.redirects).toEqual({ "/projects/old/": "/projects/new/" });
  expect(artifact).toMatchObject({ pages: 3, files: 5 });
  const text = await readFile(join(artifact.dir, "projects/old/index.html"), "utf8");
  expect(text).toContain('<meta http-equiv="refresh" content="0;url=/projects/new/">');
  expect(text).toContain('<meta name="robots" content="noindex">');
  expect(text).toContain('<link rel="canonical" href="https://example.com/projects/new/">');
  expect(manifest.files["/projects/old/"]).toMatchObject({
    hash: sha256Hex(text),
    bytes: text.length,
    type: "text/html; charset=utf-8",
    scripts: [],
  });
  const taken = await readFile(join(artifact.dir, "projects/taken/index.html"), "utf8");
  expect(taken).toBe(page("Taken"));
  const left = (await readdir(artifactsDir)).filter((name) => !name.startsWith("."));
  expect(left.toSorted()).toEqual([artifact.sha, `${artifact.sha}.json`]);
});

test.each(["//evil.example/", "/a/../b/", "/a", '/a"/', "https://evil.example/"])(
  "a redirect to %s is refused",
  async (to) => {
    const outDir = await writeTree("out-refused", { "index.html": page("Home") });
    const redirects = { baseUrl: "https://example.com", list: [{ from: "/projects/old/", to }] };
    const [artifactsDir, mediaDir] = [join(folder.path, "artifacts"), join(folder.path, "none")];
    await expect(
      storeArtifact({ outDir, mediaDir, artifactsDir, bounds, redirects }),
    ).rejects.toMatchObject({ code: "internal" });
  },
);
