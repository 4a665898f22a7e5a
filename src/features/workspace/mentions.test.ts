import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp.ts";
import { filesMentioning } from "./mentions.ts";

test("names the files of the source that hold a text, whatever else lies about", async () => {
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
