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

test("every word that was typed has to be there, what begins with them comes first", () => {
  expect(titles("")).toHaveLength(3);
  expect(titles("preview")).toEqual(["Preview as phone", "Open the preview"]);
  expect(titles("phone PRE")).toEqual(["Preview as phone"]);
  expect(titles("nothing")).toEqual([]);
});

test("matches are marked, and nothing of the title is lost", () => {
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

test("a sitemap gives paths of its site, each once", () => {
  const xml =
    "<urlset><url><loc>https://example.com/projects/</loc></url><url><loc>https://example.com/</loc></url>" +
    "<url><loc>https://example.com/projects/</loc></url><url><loc>not an address</loc></url></urlset>";
  expect(pagesOf(xml)).toEqual(["/", "/projects/"]);
});

test("every place of the admin's header can be gone to", () => {
  const addresses: readonly string[] = adminPages.map(([address]) => address);
  expect(addresses).toEqual(expect.arrayContaining(managePages.map(({ navItem }) => navItem)));
});
