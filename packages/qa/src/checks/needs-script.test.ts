import { afterAll, beforeAll, expect, test } from "vitest";
import { goodPage, manifestOf, writeSite } from "../../../../test/support/built-site.ts";
import { type TempFolder, tempFolder } from "../../../../test/support/temp.ts";
import { makeParseCaches, openSite, type Site } from "../site/site.ts";
import { linkFragmentMissing } from "./page/link-fragment-missing.ts";

let folder: TempFolder;
beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(() => folder.remove());

test("a page with many incoming links is parsed once to see what its scripts may add", async () => {
  const targets = ["/a/", "/b/", "/c/"];
  const links = targets.flatMap((path) =>
    ["one", "two", "three"].map((name) => `<a href="${path}#${name}">x</a>`),
  );
  const paths = ["/1/", "/2/", "/3/", ...targets];
  const files = Object.fromEntries(
    paths.map((path) => [
      `${path.slice(1)}index.html`,
      goodPage(path, `<h1>Title</h1>${targets.includes(path) ? "" : links.join("")}`),
    ]),
  );
  await writeSite(folder.path, files);
  const built = openSite(folder.path, manifestOf(files), makeParseCaches());
  const read: string[] = [];
  const site: Site = {
    ...built,
    page(path) {
      read.push(path);
      return built.page(path);
    },
  };
  const found = ["/1/", "/2/", "/3/"].flatMap((path) => {
    const page = built.page(path);
    return page ? Array.from(linkFragmentMissing.run(page, site)) : [];
  });
  expect(found).toHaveLength(27);
  expect(read.toSorted()).toEqual(targets);
});
