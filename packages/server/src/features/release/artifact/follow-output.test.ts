import { execFileSync } from "node:child_process";
import {
  appendFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import { sha256Hex } from "../../../kit/hash.ts";
import { readManifest } from "./artifact.ts";
import { storeArtifact } from "./artifact-store.ts";
import { followOutput, type OutputFollower } from "./follow-output.ts";

let folder: TempFolder;
let follower: OutputFollower | undefined;
const bounds = { bytes: 1024 * 1024, files: 1000 };

beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(async () => {
  await follower?.stop();
  follower = undefined;
  await folder.remove();
});

const page = (text: string) =>
  `<!doctype html><html lang="en"><title>${text}</title><p>${`${text} and more of it. `.repeat(60)}</p><script>console.log("${text}")</script></html>`;

const artifacts = () => join(folder.path, "artifacts");
const site = {
  "index.html": page("Home"),
  "about/index.html": page("About"),
  "projects/a/index.html": page("A"),
};

async function writeTree(name: string, files: Record<string, string>): Promise<string> {
  const root = join(folder.path, name);
  await mkdir(root, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

async function store(outDir: string, following?: OutputFollower) {
  const input = { outDir, mediaDir: join(folder.path, "none"), artifactsDir: artifacts(), bounds };
  return storeArtifact(following ? { ...input, followed: await following.stop() } : input);
}

/** Stores the site as it was before, and follows what is written now. */
async function follow(outDir: string): Promise<OutputFollower> {
  await store(await writeTree("before", site));
  follower = followOutput(outDir, artifacts(), { firstPollMs: 0 });
  return follower;
}

test("what is unchanged is in the artifact before the build ends, and the artifact is the same as ever", async () => {
  const changed = { ...site, "index.html": page("New"), "projects/b/index.html": page("B") };
  const outDir = await writeTree("out", { "about/index.html": site["about/index.html"] });
  const following = await follow(outDir);
  await eventually(() => expect([...following.placed.keys()]).toEqual(["about/index.html"]));
  await writeTree("out", { ...changed, "about/index.html": site["about/index.html"] });
  const written = await store(outDir, following);

  const again = await writeTree("again", changed);
  follower = followOutput(again, artifacts(), { firstPollMs: 0 });
  const { placed } = follower;
  await eventually(() => expect(placed.size).toBe(4));
  expect((await store(again, follower)).sha).toBe(written.sha);
  await rm(artifacts(), { recursive: true });
  const plain = await store(await writeTree("plain", changed));
  expect(plain.sha).toBe(written.sha);
});

test("a followed artifact has the files, encodings and scripts of one that was not, and knows what was read", async () => {
  const changed = { ...site, "index.html": page("New") };
  const outDir = await writeTree("out", changed);
  const following = await follow(outDir);
  await eventually(() => expect(following.placed.size).toBe(2));
  const artifact = await store(outDir, following);
  expect([...artifact.verified.keys()].toSorted()).toEqual(Object.keys(site).toSorted());
  for (const [path, text] of Object.entries(changed)) {
    expect(await readFile(join(artifact.dir, path), "utf8")).toBe(text);
  }
  const manifest = await readManifest(`${artifact.dir}.json`);
  await rm(artifacts(), { recursive: true });
  const plain = await store(await writeTree("plain", changed));
  expect(await readManifest(`${plain.dir}.json`)).toEqual(manifest);
});

test("a file that is written again once it was placed is what it is at the end", async () => {
  const outDir = await writeTree("out", site);
  const following = await follow(outDir);
  await eventually(() => expect(following.placed.size).toBe(3));
  const text = site["about/index.html"].replace("About", "Abbot");
  await writeFile(join(outDir, "about/index.html"), text);
  await rm(join(outDir, "projects"), { recursive: true });
  const artifact = await store(outDir, following);
  const { files } = await readManifest(`${artifact.dir}.json`);
  expect(Object.keys(files).toSorted()).toEqual(["/", "/about/"]);
  expect(files["/about/"]?.hash).toBe(sha256Hex(text));
  expect(await readFile(join(artifact.dir, "about/index.html"), "utf8")).toBe(text);
  expect(await readdir(artifact.dir)).not.toContain("projects");
});

test("a stored file that was damaged meanwhile is not placed", async () => {
  const outDir = await writeTree("out", site);
  const before = await store(await writeTree("before", site));
  await appendFile(join(before.dir, "about/index.html"), "!");
  follower = followOutput(outDir, artifacts(), { firstPollMs: 0 });
  const { placed } = follower;
  await eventually(() => expect(placed.size).toBe(2));
  const followed = await follower.stop();
  expect(placed.has("about/index.html")).toBe(false);
  await expect(lstat(join(followed.dir, "about/index.html.br"))).rejects.toThrow("ENOENT");
});

test("abuse 73: no link is followed and no FIFO waited for while page code is still running", async () => {
  const elsewhere = await writeTree("elsewhere", site);
  const outDir = await writeTree("out", {});
  await symlink(join(elsewhere, "projects"), join(outDir, "projects"));
  await mkdir(join(outDir, "about"));
  execFileSync("mkfifo", [join(outDir, "about/index.html")]);
  const following = await follow(outDir);
  // All of it at once: one that is looked at while it is written is left for the end.
  const whole = await writeTree("whole", { "index.html": site["index.html"] });
  await rename(join(whole, "index.html"), join(outDir, "index.html"));
  await eventually(() => expect(following.placed.size).toBe(1));
  await expect(store(outDir, following)).rejects.toMatchObject({ code: "validation_failed" });
  expect([...(await following.stop()).placed]).toEqual([]);
  expect((await readdir(artifacts())).filter((name) => name.startsWith(".new-"))).toEqual([]);
});
