import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { imagesOf } from "./images-by-name.ts";
import { linkStudies } from "./page-links.ts";
import { readSource } from "./source.ts";
import { joinBody } from "../study/body.ts";

/* What unchanged public repositories showed; see “Tested repositories” in docs/import-export.md. */

let temp: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  temp = await tempFolder();
});
afterEach(() => temp.remove());

/** Reads a tree of texts and images, which only need a name here. */
async function read(texts: Record<string, string>, images: readonly string[] = []) {
  const files = [...Object.entries(texts), ...images.map((path) => [path, "image"] as const)];
  for (const [path, data] of files) {
    await mkdir(join(temp.path, path, ".."), { recursive: true });
    await writeFile(join(temp.path, path), data);
  }
  const { studies, problems, skipped } = await readSource(temp.path);
  const taken = studies.filter(({ doubt }) => doubt === null);
  const study = (slug: string) => studies.find((each) => each.slug === slug);
  return {
    slugs: taken.map(({ slug }) => slug).toSorted(),
    images: (slug: string) => imagesOf(studies.filter((each) => each.slug === slug)),
    alts: (slug: string) => (study(slug)?.gallery ?? []).map(({ alt, caption }) => alt ?? caption),
    body: (slug: string) => joinBody(study(slug)?.body ?? [], (path) => path).trim(),
    fields: (slug: string) => study(slug)?.fields,
    doubts: Object.fromEntries(
      studies.flatMap(({ file, doubt }) => (doubt === null ? [] : [[file, doubt]])),
    ),
    warnings: problems.filter(({ level }) => level !== "note").map(({ message }) => message),
    notes: problems.filter(({ level }) => level === "note").map(({ field }) => field),
    left: Object.fromEntries(skipped.map(({ file, reason }) => [file, reason])),
  };
}

const front = (lines: string, body = "Text.") => `---\n${lines}\n---\n\n${body}\n`;
const eleventy = { ".eleventy.js": 'module.exports = () => ({ dir: { input: "src" } });' };
const astro = { "astro.config.mjs": "export default {};" };
const hugo = { "hugo.toml": 'languageCode = "en"' };
const gatsby = { "gatsby-config.js": "module.exports = {};" };

describe("files", () => {
  test("numbered files and folders inside a study are parts of its text", async () => {
    const found = await read(
      {
        ...eleventy,
        "src/work/boats/index.md": front("title: Boats", "Beginning."),
        "src/work/boats/00-vision/index.md": front(
          "title: Vision\npermalink: false",
          '{% workimage "/work/boats/00-vision/plan.webp", "The plan" %}\n\nWhy.',
        ),
        "src/work/boats/process/01-build.md": front("title: Build", "How."),
        "src/work/boats/02-secret/index.md": front("title: Secret\ndraft: true", "Never."),
        "src/work/sails/index.md": front("title: Sails"),
        "src/work/sails/mast/index.md": front("title: Mast"),
      },
      [
        "src/work/boats/cover.webp",
        "src/work/boats/cover-sm.webp",
        "src/work/boats/00-vision/plan.webp",
      ],
    );
    expect(found.slugs).toEqual(["boats", "mast", "sails"]);
    expect(found.body("boats")).toMatch(/^Beginning\.\s+## Vision\s+Why\.\s+## Build\s+How\.$/);
    // A smaller version of an image isn't another image.
    expect(found.images("boats")).toEqual([
      "src/work/boats/cover.webp",
      "src/work/boats/00-vision/plan.webp",
    ]);
    expect(found.warnings).toContain("is a draft, so it's left out");
  });

  test("if nothing else is a study, described texts in the same folder are", async () => {
    const found = await read(
      {
        ...gatsby,
        "src/data/one.md": front("title: One\nfullImage: ../images/One-full.jpg"),
        "src/data/two.md": front("title: Two\nfullImage: ../images/Two-full.jpg"),
        "notes.md": "# Notes",
      },
      ["src/images/One-full.jpg", "src/images/Two-full.jpg"],
    );
    expect(found.slugs).toEqual(["one", "two"]);
    expect(found.images("two")).toEqual(["src/images/Two-full.jpg"]);
  });

  test("pages in folders of their own are studies if nothing else is one", async () => {
    const pages = {
      ...gatsby,
      "src/pages/boats/index.md": front("title: Boats\ncover: ./cover.png"),
      "src/pages/sails/index.md": front("title: Sails\ncover: ./cover.png"),
      "src/pages/about/index.md": front("title: About\ncover: ./cover.png"),
      "src/pages/prices.md": front("title: Prices\ncover: ./boats/cover.png"),
    };
    const images = ["boats", "sails", "about"].map((name) => `src/pages/${name}/cover.png`);
    const found = await read(pages, images);
    expect(found.slugs).toEqual(["boats", "sails"]);
    const mixed = await read({ "content/work/oars.md": front("title: Oars") });
    expect(mixed.slugs).toEqual(["oars"]);
    expect(Object.keys(mixed.doubts)).toEqual([
      "src/pages/boats/index.md",
      "src/pages/sails/index.md",
    ]);
  });

  test("a project keeps its slug if another text has the same and isn't imported", async () => {
    const found = await read({
      ...astro,
      "src/blog/challenge.md": front("title: Challenge"),
      "src/projects/challenge.md": front("title: Challenge"),
    });
    expect(found.slugs).toEqual(["challenge"]);
    expect(Object.keys(found.doubts)).toEqual(["src/blog/challenge.md"]);
  });

  test("a data file in a folder of projects is one, or gives its image to the text", async () => {
    const found = await read(
      {
        ...astro,
        "src/content/projects/ecosoul.md": front("title: Ecosoul"),
        "src/content/work/01-ecosoul.json": '{"title": "ECOSOUL", "image": "/images/eco.png"}',
        "src/content/work/02-agenda.json": '{"title": "Agenda", "year": 2024}',
        "src/content/work/work.json": '{"layout": "work"}',
      },
      ["public/images/eco.png"],
    );
    expect(found.slugs).toEqual(["agenda", "ecosoul"]);
    expect(found.images("ecosoul")).toEqual(["public/images/eco.png"]);
    expect(found.fields("agenda")).toMatchObject({ name: "Agenda", period: "2024" });
  });
});

describe("images", () => {
  test("a bare name is looked for in the folder with the study's name, not in the built site", async () => {
    const found = await read(
      {
        "_config.yml": "title: Site",
        "_portfolio/steel.md": front(
          "title: Steel\nthumbnail: thumb.jpg\nslides:\n  - Screens, wide.png, tall.png",
        ),
        "_portfolio/tech.md": front("title: Tech\ncover: part.jpg"),
      },
      [
        "assets/images/a-tech/thumb.jpg",
        "assets/images/steel/thumb.jpg",
        "assets/images/steel/wide.png",
        "assets/images/steel/tall.png",
        "_site/images/part.jpg",
        "assets/images/part.jpg",
      ],
    );
    expect(found.images("steel")).toEqual([
      "assets/images/steel/thumb.jpg",
      "assets/images/steel/wide.png",
      "assets/images/steel/tall.png",
    ]);
    expect(found.alts("steel").slice(1)).toEqual(["Screens", "Screens"]);
    expect(found.images("tech")).toEqual(["assets/images/part.jpg"]);
  });

  test("a missing image isn't replaced with one from another study's folder", async () => {
    const found = await read(
      {
        ...hugo,
        "content/projects/oars/index.md": front("title: Oars\nimage: images/cover.png"),
        "content/projects/sails/index.md": front("title: Sails\nimage: images/cover.png"),
      },
      ["content/projects/sails/images/cover.png"],
    );
    expect(found.images("oars")).toEqual([]);
    expect(found.images("sails")).toEqual(["content/projects/sails/images/cover.png"]);
    expect(found.warnings).toEqual(
      expect.arrayContaining(["images/cover.png doesn't exist, so it's left out"]),
    );
  });

  test("a study without images gets those in the folder with its name", async () => {
    const found = await read(
      {
        ...eleventy,
        "src/projects/church.md": front("title: Church\npermalink: false", ""),
        "src/projects/empty.md": front("title: Empty\npermalink: false", ""),
      },
      ["src/images/projects/church/logo.jpg", "src/images/projects/church/sign.jpg"],
    );
    expect(found.images("church")).toHaveLength(2);
    expect(found.slugs).toEqual(["church"]);
    expect(found.doubts).toEqual({
      "src/projects/empty.md": "it has neither its own page nor a text or images",
    });
  });

  test("numbered image fields have their numbered texts", async () => {
    const found = await read(
      {
        ...eleventy,
        "src/projects/budget.md": front(
          "title: 'Budget | '\nprojectLeadSentence: Learn to budget.\nprojectImgSrc1: /images/a.jpg\nprojectImageAlt1: First\nprojectImgSrc2: /images/b.jpg\nprojectImageAlt2: Second",
        ),
      },
      ["src/images/a.jpg", "src/images/b.jpg"],
    );
    expect(found.fields("budget")).toMatchObject({ name: "Budget", summary: "Learn to budget." });
    expect(found.alts("budget")).toEqual(["First", "Second"]);
  });

  test("captions in a shortcode of their own, titles without quotes, zoom buttons", async () => {
    const found = await read(
      {
        ...hugo,
        "content/work/boats.md": front(
          "title: Boats",
          '{{< section class="wide" >}}\nStart.\n{{< /section >}}\n\n{{< figure >}}\n  {{< fig-img src="a.jpg" >}}\n  {{< fig-caption caption="The first" >}}\n{{< /figure >}}\n\n{{< fig-caption title="Drafts" caption="Four of them" >}}\n\n![](b.jpg The second one)\n\n<button class="zoom"><img src="c.jpg" alt="The third"></button>\n\n{{< unknown >}}',
        ),
      },
      ["static/a.jpg", "static/b.jpg", "static/c.jpg"],
    );
    expect(found.images("boats")).toEqual(["static/a.jpg", "static/b.jpg", "static/c.jpg"]);
    expect(found.alts("boats")).toEqual(["The first", "The second one", "The third"]);
    expect(found.body("boats")).toMatch(/^Start\.\s+\*\*Drafts\*\* Four of them$/);
    expect(found.warnings).toContain("left out of the text: {{< unknown >}}");
  });
});

describe("fields", () => {
  test("empty fields of an archetype say nothing", async () => {
    const found = await read({
      ...hugo,
      "content/work/boats.md": front(
        "title: Boats\ndate:\nweight:\ndraft:\ntheme:\nimages:\n- alt:\n  caption:\n  image:\nimage:\n  caption:\n  focal_point: Smart",
      ),
    });
    expect(found.fields("boats")?.status).not.toBe("draft");
    expect(found.warnings).toEqual([]);
    expect(found.notes).toEqual([]);
  });

  test("archived, the range of dates, a client with details, and names of layouts", async () => {
    const found = await read({
      ...eleventy,
      "src/work/old.md": front(
        'title: <i>Old</i> Boats\narchived: true\ndate_range: "Fall 2015"\nkind: case-study\ntype: Landing page\nclient:\n  name: Acme\n  size: 50',
      ),
    });
    expect(found.fields("old")).toMatchObject({
      name: "Old Boats",
      status: "archived",
      period: "Fall 2015",
      kind: "Landing page",
      role: "Acme",
    });
  });

  test("parts of the text with titles of their own are taken under any name", async () => {
    const words = "It took four people and two long winters to finish.";
    const found = await read({
      ...astro,
      "src/content/case-studies/boats.md": front(
        `title: Boats\ndata:\n  - label: Situation\n    text: ${words}\nexploration:\n  title: Looking around\n  text: ${words}\nproblem:\n  - text: ${words}\nwhat_we_did:\n  - heading: Measured\n    body: ${words}\nkey_learning: ${words}\nprototype:\n  url: https://example.com/p\n  label: View prototype\nauthor:\n  title: Captain\n  description: ${words}`,
        "",
      ),
    });
    const headings = [...found.body("boats").matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(headings).toEqual([
      "Situation",
      "Looking around",
      "Problem",
      "Measured",
      "Key learning",
    ]);
    expect(found.body("boats")).toContain("[View prototype](https://example.com/p)");
    expect(found.notes).toEqual(["author"]);
  });
});

describe("links between studies", () => {
  /** The texts by slug, and what is reported, where the site has a page about itself. */
  async function linked(texts: Record<string, string>) {
    await read(texts);
    const { studies } = await readSource(temp.path);
    const chosen = studies.filter(({ doubt }) => doubt === null);
    const result = linkStudies(chosen, (address) => address === "/about/");
    const text = ({ body }: (typeof studies)[number]) => joinBody(body, (path) => path).trim();
    return {
      bodies: Object.fromEntries(result.studies.map((study) => [study.slug, text(study)])),
      problems: result.problems.map(({ file, line, message }) => [file, line, message]),
    };
  }

  test("Jekyll: they lead to the projects, others become words", async () => {
    const { bodies, problems } = await linked({
      "_config.yml": "title: x",
      "_projects/alpha.md": front(
        "title: Alpha",
        "[B](/portfolio/beta/) [C](./gamma.md) [D](../beta) [E](/old/gamma.html#top 'G') [F][b] [About](/about/) ![x](https://x.example/y.png)\n\n[Gone](/tags/beta/), [too](other.md).\n\n[b]: beta.md",
      ),
      "_projects/beta.md": front(
        "title: Beta",
        "[A]({% link _projects/alpha.md %}) [B]({{ site.baseurl }}{% link _projects/alpha.md %}) see {% link _projects/gamma.md %}",
      ),
      "_projects/gamma.md": front(
        "title: Gamma\npermalink: /made/third/\nredirect_from: /old/gamma.html",
        "[*Made* `x`](/made/third)",
      ),
    });
    expect(bodies["alpha"]).toBe(
      "[B](/projects/beta/) [C](/projects/third/) [D](/projects/beta/) [E](/projects/third/) [F](/projects/beta/) [About](/about/) ![x](https://x.example/y.png)\n\nGone, too.\n\n[b]: beta.md",
    );
    expect(bodies["beta"]).toBe(
      "[A](/projects/alpha/) [B](/projects/alpha/) see [gamma](/projects/third/)",
    );
    expect(bodies["third"]).toBe("[*Made* `x`](/projects/third/)");
    expect(problems).toEqual([
      ["_projects/alpha.md", 7, "the link to /tags/beta/ doesn't lead to a page of the site"],
      ["_projects/alpha.md", 7, "the link to other.md doesn't lead to a page of the site"],
    ]);
  });

  test("Obsidian: by the names of notes", async () => {
    const { bodies, problems } = await linked({
      "projects/alpha.md": front(
        "title: Alpha",
        "[[beta]], [[My third (draft)|the third]], [[beta#Heading|there]], [[nothing here]].",
      ),
      "projects/beta.md": front("title: Beta", "Text."),
      "projects/My third (draft).md": front("title: Third", "Text."),
    });
    const third = Object.keys(bodies).find((slug) => slug.includes("third"));
    expect(bodies["alpha"]).toBe(
      `[beta](/projects/beta/), [the third](/projects/${third}/), [there](/projects/beta/), nothing here.`,
    );
    expect(problems.map(([, , message]) => message)).toEqual([
      "the link to nothing%20here doesn't lead to a page of the site",
    ]);
  });

  test("Hugo: by reference, in a link and without one", async () => {
    const { bodies } = await linked({
      ...hugo,
      "content/portfolio/alpha/index.md": front(
        "title: Alpha",
        'See [B]({{< ref "beta" >}}), [C]({{% relref "/portfolio/beta.md#x" %}}) and {{< ref "beta.md" >}}.',
      ),
      "content/portfolio/beta.md": front("title: Beta", "[Alpha](../alpha/)"),
    });
    expect(bodies["alpha"]).toBe(
      "See [B](/projects/beta/), [C](/projects/beta/) and [beta](/projects/beta/).",
    );
    expect(bodies["beta"]).toBe("[Alpha](/projects/alpha/)");
  });

  test("a study that isn't imported isn't linked", async () => {
    const { bodies } = await linked({
      ...astro,
      "src/content/work/alpha.mdx": front(
        "title: Alpha",
        "[Idea](/work/_idea) <a href='/work/beta'>B</a>",
      ),
      "src/content/work/beta.mdx": front("title: Beta"),
      "src/content/work/_idea.mdx": front("title: Idea"),
    });
    expect(bodies["alpha"]).toBe("Idea [B](/projects/beta/)");
  });
});

test("projects without a date are sorted by importance, then by the numbers in their names", async () => {
  await read({
    "_config.yml": "title: x",
    "_projects/10_ten.md": front("title: Ten"),
    "_projects/2_two.md": front("title: Two"),
    "_projects/1_last.md": front("title: Last\nimportance: 2"),
    "_projects/3_first.md": front("title: First\nimportance: 1"),
  });
  const { studies } = await readSource(temp.path);
  expect(studies.map(({ fields }) => fields.name)).toEqual(["First", "Last", "Two", "Ten"]);
});
