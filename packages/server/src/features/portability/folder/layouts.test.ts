import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { readSource } from "../import/source.ts";
import { isFilePiece, joinBody } from "../study/body.ts";

let temp: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  temp = await tempFolder();
});
afterEach(() => temp.remove());

/** Reads a tree of texts; images need a name alone here. Gives what is taken, by slug. */
async function read(texts: Record<string, string>, images: readonly string[] = []) {
  const files = [...Object.entries(texts), ...images.map((path) => [path, "image"] as const)];
  for (const [path, data] of files) {
    await mkdir(join(temp.path, path, ".."), { recursive: true });
    await writeFile(join(temp.path, path), data);
  }
  const source = await readSource(temp.path);
  const taken = source.studies.filter(({ doubt }) => doubt === null);
  return {
    ...source,
    images: Object.fromEntries(
      taken.map(({ slug, gallery, body }) => [
        slug,
        [
          ...(gallery ?? []).map(({ path }) => path),
          ...body.filter(isFilePiece).map(({ path }) => path),
        ],
      ]),
    ),
    doubts: Object.fromEntries(
      source.studies.flatMap(({ file, doubt }) => (doubt === null ? [] : [[file, doubt]])),
    ),
    left: Object.fromEntries(source.skipped.map(({ file, reason }) => [file, reason])),
    body: (slug: string) =>
      joinBody(source.studies.find((study) => study.slug === slug)?.body ?? [], (path) => path),
    fields: (slug: string) => source.studies.find((study) => study.slug === slug)?.fields,
  };
}

const front = (lines: string, body = "Text.") => `---\n${lines}\n---\n\n${body}\n`;

describe("the root of a site", () => {
  test("Astro: collections, MDX with imports, images next to texts and in public", async () => {
    const found = await read(
      {
        "astro.config.mjs": "export default {};",
        "README.md": "# Site",
        "CLAUDE.md": "# For agents",
        "src/content.config.ts": "export const collections = {};",
        "src/content/work/nested/duvet.mdx": front(
          "title: Duvet\npublishDate: 2020-03-02 00:00:00\nimg: /assets/stock-1.jpg\nimg_alt: Pearls\ntags: [Design]",
          'import { Image } from "astro:assets";\nimport hero from "../../../assets/duvet/hero.png";\n\n<Image src={hero} alt="The hero" />\n\n<Card kind="x">Kept **words**</Card>\n\n<Chart />',
        ),
        "src/content/work/bloom.md": front(
          'title: Bloom\nheroImage: "@/assets/bloom.png"',
          "![Far](../../assets/far.png)",
        ),
        "src/content/work/_hidden.md": front("title: Hidden"),
        "src/content/blog/hello.md": front("title: Hello"),
        "src/content/authors/me.md": front("name: Me"),
        "src/pages/about.md": front("title: About"),
      },
      [
        "public/assets/stock-1.jpg",
        "src/assets/duvet/hero.png",
        "src/assets/bloom.png",
        "src/assets/far.png",
      ],
    );
    expect(found.generator).toBe("astro");
    expect(found.images).toEqual({
      duvet: ["public/assets/stock-1.jpg", "src/assets/duvet/hero.png"],
      bloom: ["src/assets/bloom.png", "src/assets/far.png"],
    });
    expect(found.body("duvet").trim()).toBe("Kept **words**");
    expect(found.problems.map(({ message }) => message)).toContain("left out of the text: <Chart>");
    expect(found.fields("duvet")).toMatchObject({ period: "2020", categories: ["Design"] });
    expect(Object.keys(found.doubts).toSorted()).toEqual([
      "src/content/blog/hello.md",
      "src/content/work/_hidden.md",
    ]);
    expect(found.left["CLAUDE.md"]).toContain("isn't a case study");
    expect(found.left["src/content/authors/me.md"]).toContain("authors/");
  });

  test("Hugo: bundles, TOML, shortcodes, static and assets, the default language", async () => {
    const found = await read(
      {
        "hugo.toml": 'defaultContentLanguage = "en"\n',
        "archetypes/default.md": front("title: x"),
        "themes/x/exampleSite/content/projects/demo.md": front("title: Demo"),
        "content/en/projects/_index.md": front("title: Projects"),
        "content/en/projects/asik/index.md": `+++\ntitle = 'ASIK'\ndate = 2024-08-24\ncategories = ['Python']\n[[resources]]\nsrc = "two.png"\n+++\n{{< figure src="one.png" alt="One" >}}\n\n{{< note >}}Kept{{< /note >}}\n`,
        "content/de/projects/asik/index.md": front("title: ASIK auf Deutsch"),
        "content/de/projects/nur/index.md": front("title: Nur Deutsch"),
        "content/en/projects/flat.md": front("title: Flat\nimage: images/flat.jpg"),
        "content/en/about.md": front("title: About"),
      },
      [
        "content/en/projects/asik/one.png",
        "content/en/projects/asik/two.png",
        "content/en/projects/asik/featured.jpg",
        "static/images/flat.jpg",
      ],
    );
    expect(found.generator).toBe("hugo");
    const bundle = "content/en/projects/asik";
    expect(found.images).toEqual({
      asik: [`${bundle}/featured.jpg`, `${bundle}/one.png`, `${bundle}/two.png`],
      flat: ["static/images/flat.jpg"],
    });
    expect(found.body("asik").trim()).toBe("Kept");
    expect(found.fields("asik")).toMatchObject({ name: "ASIK", period: "2024" });
    expect(found.left["content/de/projects/asik/index.md"]).toContain("another language (de)");
    expect(found.doubts).toEqual({
      "content/de/projects/nur/index.md": "it is only in another language (de)",
    });
  });

  test("Jekyll: collections, Liquid, HTML, images that only the theme refers to", async () => {
    const found = await read(
      {
        "_config.yml": "baseurl: /site\n",
        "about.md": front("title: About"),
        "_layouts/project.md": "{{ content }}",
        "_projects/2021-05-04-lamp.md": front(
          "title: Lamp\nimg: lamp.jpg\nheader:\n  teaser: /assets/teaser.png\npublished: false",
          '![A]({{ "/assets/a.png" | relative_url }})\n\n{% include figure.html src="/assets/b.png" caption="Bee" %}\n\n<img src="{{ site.baseurl }}/assets/c.png" alt="C">\n\n{% for x in site.posts %}{{ x.title }}{% endfor %}',
        ),
        "_projects/chair.html": front(
          "title: Chair",
          "<div>\n    <p>Oak <em>only</em>.</p>\n</div>",
        ),
        "_posts/2020-01-01-news.md": front("title: News"),
        "_posts/2020-02-02-bench.md": front("title: Bench\ncategories: projects"),
      },
      [
        "img/portfolio/lamp.jpg",
        "assets/teaser.png",
        "assets/a.png",
        "assets/b.png",
        "assets/c.png",
      ],
    );
    expect(found.images).toEqual({
      lamp: [
        "img/portfolio/lamp.jpg",
        "assets/a.png",
        "assets/b.png",
        "assets/c.png",
        "assets/teaser.png",
      ].filter((path) => found.images["lamp"]?.includes(path)),
      chair: [],
      bench: [],
    });
    expect(found.images["lamp"]).toHaveLength(5);
    expect(found.body("chair").trim()).toBe("Oak *only*.");
    expect(found.fields("lamp")).toMatchObject({ status: "draft", period: "2021" });
    expect(found.doubts).toEqual({ "_posts/2020-01-01-news.md": "it is a post in _posts/" });
    expect(found.body("lamp")).not.toContain("{%");
  });

  test("Jekyll: posts are the case studies if there is nothing else", async () => {
    const found = await read(
      {
        "_config.yml": "title: x\n",
        "_posts/2020-10-30-one.md": front("img: aws.jpg", "Text."),
      },
      ["img/grid/aws.jpg"],
    );
    expect(found.images).toEqual({ one: ["img/grid/aws.jpg"] });
    expect(found.fields("one")).toMatchObject({ name: "One", period: "2020" });
  });

  test("Eleventy: nested folders, Nunjucks, pages generated from data", async () => {
    const found = await read(
      {
        ".eleventy.js": "module.exports = {};",
        "src/work/web/shop.md": front(
          "title: Shop\ntags: work\ncover: /images/shop.png",
          '{% image "./src/images/detail.png", "A detail" %}\n\n{# none #}{% if x %}Yes{% endif %}',
        ),
        "src/work/print/shop.md": front("title: Shop in print"),
        "src/work/index.njk": front("title: Work"),
        "src/work/pages.njk": front("pagination:\n  data: x"),
        "src/posts/hello.md": front("title: Hello"),
        "src/_includes/x.md": "x",
      },
      ["src/images/shop.png", "src/images/detail.png"],
    );
    expect(found.generator).toBe("eleventy");
    expect(found.images).toEqual({
      shop: [],
      "shop-2": ["src/images/shop.png", "src/images/detail.png"],
    });
    expect(found.body("shop-2").trim()).toBe("Yes");
    expect(found.fields("shop-2")?.categories).toEqual([]);
    expect(Object.keys(found.doubts).toSorted()).toEqual([
      "src/posts/hello.md",
      "src/work/pages.njk",
    ]);
  });

  test("Gatsby: folders with all their images, languages next to each other", async () => {
    const found = await read(
      {
        "site/gatsby-config.js": "module.exports = { defaultLanguage: 'fr' };",
        "site/content/projects/coney/index.en.md": front("title: Coney"),
        "site/content/projects/coney/index.fr.md": front(
          "cover: one.jpg\ntitle: Île",
          "![](./two.jpg)\n![](./three.jpg)",
        ),
      },
      ["one", "two", "three", "four"].map((name) => `site/content/projects/coney/${name}.jpg`),
    );
    expect(found.generator).toBe("gatsby");
    expect(found.fields("coney")?.name).toBe("Île");
    expect(found.images["coney"]?.map((path) => path.replace(/^.*\//, ""))).toEqual([
      "one.jpg",
      "two.jpg",
      "three.jpg",
      "four.jpg",
    ]);
  });

  test("a folder of no known generator, with any name", async () => {
    const found = await read({
      "cases/harbour/index.md": front("title: Harbour"),
      "notes/x.md": front("title: X"),
    });
    expect([found.generator, Object.keys(found.images)]).toEqual(["none", ["harbour"]]);
    expect(found.doubts).toEqual({ "notes/x.md": "it is a note in notes/" });
  });
});

test("config/_default alone identifies Hugo; labeled details keep their labels", async () => {
  const found = await read(
    {
      "config/_default/config.toml": 'theme = "x"\n',
      "content/english/project/iq.md": front(
        'title: IQ\nimage: images/iq.png\nbg_image: images/none.jpg\ninformation:\n  - label: Client\n    info: Acme\n  - label: Completed On\n    info: September 10, 2024\n  - label: Tools Used\n    info: "Figma, Hugo"\nresults: It was used by everybody.\ngallery: true',
        "| A | B |\n| --- | --- |\n| 1 | 2 |\n\n![A view](images/a view.png)\n\n![View](images/iq.png)",
      ),
      "content/english/project/personal/_index.md": front("title: Personal", ""),
      "content/english/project/sample-project.md": front("title: Project title"),
    },
    ["static/images/iq.png", "static/images/a view.png"],
  );
  expect(found.generator).toBe("hugo");
  expect(found.fields("iq")).toMatchObject({
    role: "Acme",
    period: "2024",
    stack: ["Figma", "Hugo"],
  });
  expect(found.fields("iq")).not.toHaveProperty("metrics");
  expect(found.images).toEqual({ iq: ["static/images/iq.png", "static/images/a view.png"] });
  expect(found.body("iq")).toContain("## Results\n\nIt was used by everybody.\n\n| A | B |");
  expect(Object.keys(found.doubts)).toEqual([
    "content/english/project/personal/_index.md",
    "content/english/project/sample-project.md",
  ]);
});

test("Jekyll: tags in one line, thumbnails that link to images, and lists in a summary", async () => {
  const found = await read(
    {
      "_config.yml": "title: x",
      "projects/prints/index.html": front(
        'title: Prints\ntags: ink paper\ndescription: "<ul><li>Cut lino</li><li>Printed it</li></ul>"\noverview: What a print is, and how it is made by hand.\ngithubLink: https://github.com/x/y',
        '<h2>{{ page.title }}</h2>\n<a href="large/one.jpg" title="One"><img src="thumbs/one.jpg" alt="The first"></a>\n<pre><code>cut &amp; print</code></pre>',
      ),
    },
    ["projects/prints/large/one.jpg"],
  );
  expect(found.fields("prints")).toMatchObject({
    categories: ["ink", "paper"],
    summary: "Cut lino Printed it",
  });
  expect(found.images).toEqual({ prints: ["projects/prints/large/one.jpg"] });
  expect(found.studies[0]?.gallery?.[0]?.alt).toBe("The first");
  expect(found.body("prints")).toBe(
    "What a print is, and how it is made by hand.\n\n```\ncut & print\n```\n\n[Source code](https://github.com/x/y)",
  );
});

test("a text that only looks like markup takes linear time", async () => {
  const of = (piece: string) => piece.repeat(96_000 / piece.length);
  const pieces = ["<a ", "{", "{% for x %}", '<img src="', "<div>", "{{< x ", "`", "{#", "<!--"];
  const more = [
    "import {",
    "![[",
    "{% comment %}",
    "{{ a | ",
    "~~~\n",
    "[a](",
    "export const a = {\n",
  ];
  const hostile = [...pieces, ...more].map(of);
  const names = hostile.map((text, index) => [`projects/p${index}.mdx`, front("title: A", text)]);
  const started = process.cpuUsage();
  const { studies } = await read(Object.fromEntries(names) as Record<string, string>);
  expect(studies).toHaveLength(hostile.length);
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(20_000);
});
