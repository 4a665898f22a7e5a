import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { zip } from "../../../../../../test/support/zip.ts";
import { unpackZip, type UnpackLimits } from "./unpack.ts";

let temp: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  temp = await tempFolder();
});
afterEach(() => temp.remove());

const limits: UnpackLimits = { maxEntries: 100, maxMediaBytes: 5000, maxTotalBytes: 20_000 };
const text = (words: string) => Buffer.from(words);

async function unpack(archive: Buffer, given: Partial<UnpackLimits> = {}) {
  const file = join(temp.path, "a.zip");
  const dir = join(temp.path, "files");
  await writeFile(file, archive);
  const result = await unpackZip(file, dir, { ...limits, ...given });
  const left = Object.fromEntries(result.skipped.map((each) => [each.file, each.reason]));
  return { ...result, left, there: (await readdir(dir, { recursive: true })).toSorted(), dir };
}

test("only files that an import reads are unpacked, stored or deflated", async () => {
  const { there, dir, files } = await unpack(
    zip([
      { name: "site/", data: text(""), method: 0 },
      { name: "site/projects/ä.md", data: text("Text") },
      { name: "site\\projects\\b.png", data: text("image"), method: 0 },
      { name: "site/empty.md", data: text(""), method: 0 },
      { name: "site/node_modules/x/readme.md", data: text("x") },
      { name: "site/.git/x.md", data: text("x") },
      { name: "__MACOSX/site/._a.md", data: text("x") },
      { name: "site/program.exe", data: text("x") },
      { name: "site/.eleventy.js", data: text("x") },
      { name: "site/src/data/projects.ts", data: text("x") },
      { name: "site/src/bundle.js", data: Buffer.alloc(300 * 1024) },
      { name: "site/flow.svg", data: text("<svg/>") },
    ]),
    { maxTotalBytes: 1_000_000 },
  );
  expect(files).toBe(6);
  expect(there.filter((path) => path.includes("."))).toEqual([
    "site/.eleventy.js",
    "site/empty.md",
    "site/flow.svg",
    "site/projects/b.png",
    "site/projects/ä.md",
    "site/src/data/projects.ts",
  ]);
  expect(await readFile(join(dir, "site/projects/ä.md"), "utf8")).toBe("Text");
});

test("nothing is written outside the folder, no link is created, and entries with false sizes are left out", async () => {
  const { there, left } = await unpack(
    zip([
      { name: "../out.md", data: text("x") },
      { name: "/etc/out.md", data: text("x") },
      { name: "a/../../out.md", data: text("x") },
      { name: "..\\out.md", data: text("x") },
      { name: "C:/out.md", data: text("x") },
      { name: "link.md", data: text("/etc/passwd"), mode: 0o120777 },
      { name: "secret.md", data: text("x"), flags: 1 },
      { name: "lzma.md", data: text("x"), method: 14 },
      { name: "bomb.md", data: Buffer.alloc(900_000), size: 10 },
      { name: "crc.md", data: text("x"), crc: 1 },
      { name: "big.png", data: Buffer.alloc(6000) },
      { name: "twice.md", data: text("first") },
      { name: "twice.md", data: text("second") },
      { name: "twice.md/inner.md", data: text("x") },
      { name: "good.md", data: text("good") },
    ]),
  );
  expect(there).toEqual(["good.md", "twice.md"]);
  expect((await readdir(temp.path)).toSorted()).toEqual(["a.zip", "files"]);
  expect(left).toMatchObject({
    "../out.md": "has a name that points outside the archive",
    "C:/out.md": "has a name that points outside the archive",
    "link.md": "is a symbolic link, and links aren't followed",
    "secret.md": "is encrypted",
    "lzma.md": "uses an unknown compression method",
    "bomb.md": "is larger than the archive says",
    "crc.md": "is damaged",
    "big.png": "is larger than 5000 bytes",
    "twice.md": "is in the archive twice",
  });
});

test("an archive that exceeds the limits, or isn't one, is refused", async () => {
  const many = zip(Array.from({ length: 5 }, (_, n) => ({ name: `${n}.md`, data: text("x") })));
  await expect(unpack(many, { maxEntries: 4 })).rejects.toMatchObject({ code: "too_large" });
  const large = zip([1, 2, 3].map((n) => ({ name: `${n}.md`, data: Buffer.alloc(900) })));
  await temp.remove();
  temp = await tempFolder();
  await expect(unpack(large, { maxTotalBytes: 2000 })).rejects.toMatchObject({ code: "too_large" });
  // What turns out to be damaged took its room, too.
  const damaged = zip([1, 2, 3].map((n) => ({ name: `${n}.md`, data: Buffer.alloc(900), crc: 1 })));
  await temp.remove();
  temp = await tempFolder();
  await expect(unpack(damaged, { maxTotalBytes: 2000 })).rejects.toMatchObject({
    code: "too_large",
  });
  for (const archive of [
    text("no archive"),
    text(""),
    large.subarray(0, -10),
    large.subarray(40),
  ]) {
    await temp.remove();
    temp = await tempFolder();
    const result = unpack(archive);
    // A piece of one may still list files, none of which is whole.
    await result.then(
      ({ files }) => expect(files).toBe(0),
      (error: unknown) => expect(error).toMatchObject({ code: "bad_media" }),
    );
  }
});
