import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { readSource } from "../import/source.ts";
import { scanFolder, readBytes } from "./folder.ts";
import { findStudies } from "./studies.ts";
import { readText } from "./text-file.ts";

let temp: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  temp = await tempFolder();
});
afterEach(() => temp.remove());

async function lay(files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [path, data] of Object.entries(files)) {
    const file = join(temp.path, path);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, data);
  }
}

describe("texts", () => {
  const text = (data: string | number[]) =>
    readText(typeof data === "string" ? Buffer.from(data) : Uint8Array.from(data));
  test("a byte order mark and other line endings make no difference", () => {
    expect(text("\uFEFFa\r\nb\rc")).toEqual({ text: "a\nb\nc" });
  });
  test.each([
    ["", "is empty"],
    [" \r\n\t", "is empty"],
    [[0xff, 0xfe, 65, 0], "UTF-16"],
    [[0x89, 0x50, 0x4e, 0x47, 0, 1], "isn't text"],
    [[65, 10, 66, 0xe9, 66], "byte E9 in line 2"],
    [[65, 0xc3], "byte C3 in line 1"],
  ])("%j", (data, why) => {
    const read = text(data as string);
    expect("fault" in read && read.fault).toContain(why);
  });
});

test("studies are name.md and name/index.md; other files are reported", async () => {
  await lay({
    "README.md": "x",
    "one.md": "x",
    "2024-05-01-two.md": "x",
    "three/index.md": "x",
    "three/notes.md": "x",
    "a/b/index.md": "x",
    "page.mdx": "x",
    "resume.json": "{}",
    "node_modules/x.md": "x",
    ".git/x.md": "x",
  });
  await symlink("/etc/passwd", join(temp.path, "link.md"));
  await symlink("/etc", join(temp.path, "away"));
  const folder = await scanFolder(temp.path);
  const { studies, resume, skipped } = findStudies(folder);
  expect(studies.map(({ path, stem, date, doubt }) => [path, stem, date, doubt])).toEqual([
    ["2024-05-01-two.md", "two", "2024-05-01", null],
    ["a/b/index.md", "b", null, "it isn't in a folder of case studies"],
    ["one.md", "one", null, null],
    ["page.mdx", "page", null, null],
    ["three/index.md", "three", null, null],
  ]);
  expect(resume).toBe("resume.json");
  expect(skipped.map(({ file }) => file)).toEqual(["README.md", "three/notes.md", "link.md"]);
});

test("a link is never opened, even if it was created after the scan", async () => {
  await lay({ "a.md": "x", "dir/b.md": "x" });
  const folder = await scanFolder(temp.path);
  await symlink("/etc/passwd", join(temp.path, "late.md"));
  await symlink("/etc", join(temp.path, "latedir"));
  for (const path of ["late.md", "latedir/passwd", "../x", "dir"]) {
    await expect(readBytes(folder, path, 1000)).rejects.toMatchObject({
      code: "validation_failed",
    });
  }
  await expect(readBytes(folder, "a.md", 0)).rejects.toMatchObject({ code: "too_large" });
});

test("a folder is read as a whole: order, duplicates, and each file's errors", async () => {
  await lay({
    "last.md": "---\ntitle: Last\norder: 2\n---\n",
    "first.md": "---\ntitle: First\norder: 1\n---\n",
    "recent.md": "---\ntitle: Recent\ndate: 2026-01-01\n---\n",
    "old/index.md": "---\ntitle: Old\ndate: 2020-01-01\n---\n",
    "twin.md": "---\ntitle: Twin\nslug: recent\n---\n",
    "empty.md": "",
    "latin.md": Uint8Array.from([0x23, 0x20, 0xe9]),
    "open.md": "---\ntitle: x\n",
    "huge.md": Buffer.alloc(1024 * 1024 + 1, 65),
    "resume.json": '{"basics": {"name": "A"}}',
  });
  const { studies, resume, problems, skipped } = await readSource(temp.path);
  expect(studies.map(({ slug }) => slug)).toEqual(["first", "last", "recent", "old", "recent-2"]);
  expect(resume?.resume.basics["name"]).toBe("A");
  expect(skipped.map(({ file, reason }) => `${file} ${reason}`)).toEqual([
    "empty.md is empty",
    "huge.md is larger than 1 MiB",
    "latin.md is not UTF-8 (byte E9 in line 1), perhaps Latin-1. Save it as UTF-8",
    "open.md The front matter doesn't end with a line of --- (line 1)",
  ]);
  expect(problems).toContainEqual(
    expect.objectContaining({ level: "warning", file: "twin.md", field: "slug" }),
  );
});

test("500 studies are read in linear time", async () => {
  const files = Array.from({ length: 500 }, (_, n) => [
    `s${n}.md`,
    `---\ntitle: S${n}\n---\nText ${n}`,
  ]);
  await lay(Object.fromEntries(files) as Record<string, string>);
  const started = process.cpuUsage();
  const { studies, problems } = await readSource(temp.path);
  expect([studies.length, problems.length]).toEqual([500, 0]);
  // In this process's own work: what grows with the square of their number takes minutes.
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(8000);
});

test("a path that is neither a folder nor JSON is refused", async () => {
  await lay({ "x.md": "x" });
  await expect(readSource(join(temp.path, "x.md"))).rejects.toMatchObject({ code: "bad_request" });
  await expect(readSource(join(temp.path, "gone"))).rejects.toMatchObject({ code: "not_found" });
  await mkdir(join(temp.path, "none"));
  const { problems } = await readSource(join(temp.path, "none"));
  expect(problems).toHaveLength(1);
});
