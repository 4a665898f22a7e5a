import { managePages } from "../../../../server/src/features/admin-auth/manage-pages.ts";
import { expect, test } from "vitest";

import { findCommands, markMatches } from "./commands.ts";
import { pagesOf } from "./sitemap.ts";
import { adminPages } from "./common-commands.ts";

const command = (title: string) => ({ id: title, title, run: () => {} });
const titles = (typed: string) =>
  findCommands(["Open the preview", "Publish", "Preview as phone"].map(command), typed).map(
    ({ title }) => title,
  );

test("every typed word must match, and titles that begin with them come first", () => {
  expect(titles("")).toHaveLength(3);
  expect(titles("preview")).toEqual(["Preview as phone", "Open the preview"]);
  expect(titles("phone PRE")).toEqual(["Preview as phone"]);
  expect(titles("nothing")).toEqual([]);
});

test("matches are highlighted, and the title stays complete", () => {
  expect(markMatches("Open the preview", "pre op")).toEqual([
    { text: "Op", match: true },
    { text: "en the ", match: false },
    { text: "pre", match: true },
    { text: "view", match: false },
  ]);
  for (const typed of ["", "e", "zz", "OPEN the"]) {
    const text = markMatches("Open the preview", typed)
      .map((piece) => piece.text)
      .join("");
    expect(text).toBe("Open the preview");
  }
});

test("a sitemap yields the paths of its site, each once", () => {
  const xml =
    "<urlset><url><loc>https://example.com/projects/</loc></url><url><loc>https://example.com/</loc></url>" +
    "<url><loc>https://example.com/projects/</loc></url><url><loc>not an address</loc></url></urlset>";
  expect(pagesOf(xml)).toEqual(["/", "/projects/"]);
});

test("every entry of the admin header is a command", () => {
  const addresses: readonly string[] = adminPages.map(([address]) => address);
  expect(addresses).toEqual(expect.arrayContaining(managePages.map(({ navItem }) => navItem)));
});
