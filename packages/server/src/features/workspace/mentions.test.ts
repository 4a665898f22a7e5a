import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { openInstance } from "../../../../../test/support/publish/publish-instance.ts";
import { copyInstance } from "../../../../../test/support/publish/sample.ts";
import { committedMentioning, filesMentioning } from "./mentions.ts";

test("lists the source files that contain a text, whatever other files there are", async () => {
  await using folder = await tempFolder();
  const src = join(folder.path, "app/src");
  await mkdir(join(src, "pages"), { recursive: true });
  await mkdir(join(folder.path, "database"));
  await writeFile(join(src, "pages/about.astro"), '<img src="/media/2026/a-b.jpg">');
  await writeFile(join(src, "pages/index.astro"), "nothing");
  await writeFile(join(src, "large.bin"), `${"x".repeat(3 * 1024 * 1024)}/media/2026/a-b.jpg`);
  await writeFile(join(folder.path, "database/projects.json"), "/media/2026/a-b.jpg");
  await symlink("pages/about.astro", join(src, "link.astro"));
  const texts = ["/media/2026/a-b.jpg", "/media/2026/a-b-480.webp"];
  expect(await filesMentioning(folder.path, texts)).toEqual(["app/src/pages/about.astro"]);
  expect(await filesMentioning(folder.path, ["/media/2026/none.jpg"])).toEqual([]);
});

test("lists the files of main that contain a text, whatever the work tree has", async () => {
  await using folder = await tempFolder();
  await copyInstance(folder.path);
  const instance = openInstance(folder.path);
  try {
    const { repository, paths } = instance;
    const file = join(paths.content, "app/src/pages/about.astro");
    const before = await readFile(file);
    await writeFile(file, '<img src="/media/2026/a-b.jpg">');
    await instance.git("add", "--all");
    await instance.git("commit", "--quiet", "-m", "About");
    await writeFile(file, before);
    const mentions = (...texts: string[]) => committedMentioning(repository, texts);
    expect(await mentions("/media/2026/none.jpg", "/media/2026/a-b.jpg")).toEqual([
      "app/src/pages/about.astro",
    ]);
    expect(await mentions("/media/2026/a.b.jpg")).toEqual([]);
  } finally {
    await instance.close();
  }
});
