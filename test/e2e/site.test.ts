import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  Snapshot,
  SnapshotProject,
} from "../../packages/server/src/features/release/snapshot.ts";
import {
  attribute,
  brokenLinks,
  digestOf,
  fileFor,
  filesOf,
  intrusions,
  metaOf,
  pagesOf,
  readPage,
  textOf,
} from "./static-site.ts";
import { readPdf } from "./pdf.ts";
import { buildTemplate, contentWith, sampleSnapshot } from "./template-site.ts";

/** Pages that nobody is to find: they say so, and are in no list. */
const unlisted = new Set([
  "/404.html",
  "/account/index.html",
  "/contact/thanks/index.html",
  "/search/index.html",
]);

let folder: string;
let snapshot: Snapshot;
let site: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-site-"));
  snapshot = await sampleSnapshot();
  ({ site } = await buildTemplate(join(folder, "sample"), snapshot));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function read(file: string, root = site): Promise<string> {
  return await readFile(join(root, file), "utf8");
}

/** The path under which a page is served. */
function pathOf(page: string): string {
  return page.replace(/index\.html$/, "");
}

describe("the sample site", () => {
  test("has every page, one style sheet, and no script file except for search", async () => {
    expect(await pagesOf(site)).toEqual(
      [
        "/404.html",
        "/about/index.html",
        "/account/index.html",
        "/changelog/index.html",
        "/contact/index.html",
        "/contact/thanks/index.html",
        "/index.html",
        "/projects/index.html",
        ...["identity", "product", "web"].map((name) => `/projects/category/${name}/index.html`),
        ...snapshot.projects.map((project) => `/projects/${project.slug}/index.html`),
        "/resume/index.html",
        "/search/index.html",
        "/services/index.html",
        "/services/website-design/index.html",
      ].toSorted(),
    );
    const files = await filesOf(site);
    const loading = await Promise.all(
      (await pagesOf(site)).map(async (page) =>
        /<script[^>]* src=/.test(await read(page)) ? page : [],
      ),
    );
    expect(loading.flat()).toEqual(["/search/index.html"]);
    expect(files.filter((file) => file.endsWith(".css"))).toHaveLength(1);
    expect(files).toEqual(
      expect.arrayContaining([
        "/robots.txt",
        "/llms.txt",
        "/rss.xml",
        "/resume.json",
        "/sitemap-index.xml",
      ]),
    );
  });

  test("links only to what exists: pages, assets and fragments", async () => {
    expect(await brokenLinks(site, snapshot.site.baseUrl)).toEqual([]);
  });

  test("has no id twice on a page", async () => {
    const repeated: string[] = [];
    for (const page of await pagesOf(site)) {
      const ids = (await readPage(site, page)).map((element) => attribute(element, "id"));
      const given = ids.filter((id) => id !== undefined);
      repeated.push(...given.filter((id, at) => given.indexOf(id) !== at));
    }
    expect(repeated).toEqual([]);
  });

  test("loads nothing from another server", async () => {
    expect(await intrusions(site)).toEqual([]);
    const style = (await filesOf(site)).find((file) => file.endsWith(".css")) ?? "";
    expect(await read(style)).not.toMatch(/url\(\s*["']?(https?:)?\/\//);
  });

  test("has structured data for each page", async () => {
    const pages = (await pagesOf(site)).filter((page) => page !== "/404.html");
    const facts = new Map<string, unknown>();
    const titles = new Set<string>();
    for (const page of pages) {
      const elements = await readPage(site, page);
      const canonical = elements.find((element) => attribute(element, "rel") === "canonical");
      const image = new URL(metaOf(elements, "og:image") ?? "", "https://nowhere.example");
      titles.add(textOf(elements.find((element) => element.tagName === "title")));
      facts.set(page, {
        canonical: attribute(canonical, "href"),
        robots: metaOf(elements, "robots"),
        described: (metaOf(elements, "description") ?? "").length > 20,
        preview: image.origin === "https://example.com" && fileFor(site, image.pathname) !== null,
        headings: elements.filter((element) => element.tagName === "h1").length,
      });
    }
    const wanted = pages.map((page) => {
      const isListed = !unlisted.has(page);
      const canonical = isListed ? `https://example.com${pathOf(page)}` : undefined;
      const robots = isListed ? undefined : "noindex";
      return [page, { canonical, robots, described: true, preview: true, headings: 1 }] as const;
    });
    expect(facts).toEqual(new Map<string, unknown>(wanted));
    expect(titles.size).toBe(pages.length);
  });

  test("draws as many share images as allowed; the other pages have the site's general one", async () => {
    const drawn = (await filesOf(site)).filter((file) => file.startsWith("/og/"));
    expect(drawn).toHaveLength(2);
    const imageElements = await Promise.all(
      ["/index.html", "/about/index.html", "/changelog/index.html"].map(async (page) => {
        const elements = await readPage(site, page);
        return [metaOf(elements, "og:image") ?? "", metaOf(elements, "og:image:alt")] as const;
      }),
    );
    const [home, about, changelog] = imageElements.map(([address]) => new URL(address).pathname);
    expect([home, about].toSorted()).toEqual(drawn);
    expect(changelog).toBe("/images/share.png");
    expect(imageElements[0]?.[1]).toContain("Mara Lindqvist");
    const imageElement = sharp(join(site, home ?? ""));
    expect(await imageElement.metadata()).toMatchObject({
      format: "png",
      width: 1200,
      height: 630,
    });
    // Neither empty nor noise: text and blocks on one ground.
    const { entropy } = await imageElement.stats();
    expect(entropy).toBeGreaterThan(0.3);
    expect(entropy).toBeLessThan(4);
  });

  test("can be searched: every listed page is in the index, and no other", async () => {
    const fragments = (await filesOf(site)).filter((file) => file.endsWith(".pf_fragment"));
    const said = await Promise.all(
      fragments.map(async (file) => {
        const text = gunzipSync(await readFile(join(site, file))).toString();
        return JSON.parse(text.slice(text.indexOf("{"))) as {
          url: string;
          content: string;
          meta: Record<string, string>;
        };
      }),
    );
    const listed = (await pagesOf(site)).filter((page) => !unlisted.has(page)).map(pathOf);
    expect(said.map(({ url }) => url).toSorted()).toEqual(listed.toSorted());
    const [project] = snapshot.projects;
    const found = said.find(({ url }) => url === `/projects/${project?.slug}/`);
    expect(found?.meta).toMatchObject({ title: project?.name, kind: project?.kind });
    expect(found?.content).not.toContain("Skip to content");
    const bundle = (await filesOf(site)).filter((file) => /^\/pagefind\/[^/]*$/.test(file));
    expect(bundle.map((file) => file.replace(/en_\w+/, "en"))).toEqual([
      "/pagefind/pagefind-entry.json",
      "/pagefind/pagefind.en.pf_meta",
      "/pagefind/pagefind.js",
      "/pagefind/wasm.en.pagefind",
    ]);
  });

  test("lists every page in its sitemap except unlisted ones", async () => {
    const pages = (await pagesOf(site)).filter((page) => !unlisted.has(page));
    const listed = (await read("sitemap-0.xml")).matchAll(/<loc>([^<]*)<\/loc>/g);
    expect([...listed].map((match) => match[1]).toSorted()).toEqual(
      pages.map((page) => `https://example.com${pathOf(page)}`).toSorted(),
    );
    expect(await read("robots.txt")).toContain("Sitemap: https://example.com/sitemap-index.xml");
  });

  test("provides the résumé as a JSON Resume", async () => {
    const resume = JSON.parse(await read("resume.json"));
    expect(resumeFaults(resume)).toEqual([]);
    const date = expect.stringMatching(/^[12]\d{3}-[01]\d$/);
    expect(resume.basics).toMatchObject({
      name: "Mara Lindqvist",
      email: expect.stringMatching(/^\S+@example\.com$/),
      url: "https://example.com/",
      summary: expect.any(String),
      location: { countryCode: "SE" },
    });
    const text = expect.any(String);
    expect(resume.work).toMatchObject([
      { name: text, position: text, startDate: date },
      { name: text, position: text, startDate: date, endDate: date },
      { name: text, position: text, startDate: date, endDate: date },
    ]);
    expect(resume.education).toMatchObject([{ institution: text, startDate: date, endDate: date }]);
    const urls = resume.projects.map((project: { url: string }) => project.url);
    expect(urls).toEqual(
      snapshot.projects.map((project) => `https://example.com/projects/${project.slug}/`),
    );
  });

  test("provides the résumé as a tagged PDF in the site's fonts, with links and bookmarks", async () => {
    const pdf = await readPdf(join(site, "resume.pdf"));
    expect(pdf.pages).toHaveLength(2);
    expect(pdf.source).toMatch(/\/Lang \(en\)[^]*\/Marked true|\/Marked true[^]*\/Lang \(en\)/);
    expect(pdf.source).toContain("/DisplayDocTitle true");
    expect(pdf.titles).toEqual(
      expect.arrayContaining(["Mara Lindqvist", "Experience", "Projects", "Skills"]),
    );
    expect(pdf.links).toEqual(
      expect.arrayContaining([
        "mailto:mara@example.com",
        ...snapshot.projects.map(({ slug }) => `https://example.com/projects/${slug}/`),
      ]),
    );
    // Each glyph of the three fonts says which letter it is, so that text can be searched and read.
    for (const letter of "åöÅ–“”’·")
      expect([letter, pdf.letters.has(letter)]).toEqual([letter, true]);
    expect(pdf.fonts.toSorted()).toEqual([
      expect.stringMatching(/Bricolage/),
      expect.stringMatching(/Figtree/),
      expect.stringMatching(/Figtree/),
    ]);
    expect(pdf.lastTags.filter((tag) => /^H\d$/.test(tag))).toEqual([]);
  });

  test("provides the changelog as RSS, each entry with its own address", async () => {
    const feed = await read("rss.xml");
    expect(feed).toMatch(/^<\?xml[^>]*\?><rss version="2\.0"/);
    const items = [...feed.matchAll(/<item>.*?<link>([^<]*)<\/link>/gs)];
    const links = items.map((match) => new URL(match[1] ?? "").hash.slice(1));
    const articles = (await readPage(site, "/changelog/index.html"))
      .filter((element) => element.tagName === "article")
      .map((element) => attribute(element, "id"));
    expect(links).toEqual(articles);
    expect(new Set(links).size).toBe(snapshot.changelog.length);
    expect(feed).toContain("<dc:creator>Mara Lindqvist</dc:creator>");
  });

  test("shows a change with kind, time, and actor, in the owner's time zone", async () => {
    const [html] = await readPage(site, "/changelog/index.html");
    expect(textOf(html)).toContain("content · 14 Nov 2026, 10:20 · by Mara Lindqvist");
  });

  test("prioritizes at most one image, and none if the first screen has none", async () => {
    const hurried: [string, number][] = [];
    for (const page of await pagesOf(site)) {
      const images = (await readPage(site, page)).filter(({ tagName }) => tagName === "img");
      const first = images.filter((image) => attribute(image, "fetchpriority") === "high");
      if (first.length > 0) hurried.push([page, first.length]);
    }
    expect(hurried).toEqual(
      [
        "/index.html",
        ...["identity", "product", "web"].map((name) => `/projects/category/${name}/index.html`),
        ...snapshot.projects.map(({ slug }) => `/projects/${slug}/index.html`),
        "/projects/index.html",
      ]
        .toSorted()
        .map((page) => [page, 1]),
    );
  });

  test("shows a case study with its metrics, images and one image first", async () => {
    const elements = await readPage(site, "/projects/field-notes-for-rangers/index.html");
    const values = elements.filter((element) => attribute(element, "class") === "value");
    expect(values.map(textOf)).toEqual(["1 in 7 → 0", "9 s", "7 d", "4 h"]);
    const images = elements.filter((element) => element.tagName === "img");
    const first = images.filter((image) => attribute(image, "loading") === "eager");
    expect(first.map((image) => attribute(image, "fetchpriority"))).toEqual(["high"]);
    expect(attribute(first[0], "srcset")).toMatch(/-480\.webp 480w, .*-800\.webp 800w, .* 1600w$/);
    // The cover, four more images and the next project's cover, all with room kept for them.
    const sizes = images.map((image) => Number(attribute(image, "width")));
    expect(sizes).toEqual([1600, 1600, 1600, 1600, 1600, 1600]);
    const undescribed = images.filter((image) => attribute(image, "alt") === undefined);
    expect(undescribed).toEqual([]);
  });
});

describe("other records", () => {
  test("two builds of the same input give identical bytes", async () => {
    const again = await buildTemplate(join(folder, "again"), snapshot, {}, { anew: true });
    expect(await digestOf(again.site)).toBe(await digestOf(site));
  });

  test("forty projects with the longest texts, and the same change twice at once", async () => {
    const [change] = snapshot.changelog;
    if (!change) throw new Error("The sample has no change.");
    const changelog = [change, change, ...snapshot.changelog];
    const records = { ...snapshot, projects: manyProjects(40), changelog };
    const { site: many } = await buildTemplate(join(folder, "many"), records);
    const idsOf = async (root: string) =>
      (await readPage(root, "/changelog/index.html"))
        .filter((element) => element.tagName === "article")
        .map((element) => attribute(element, "id") ?? "");
    const [first = "", ...rest] = await idsOf(site);
    expect(await idsOf(many)).toEqual([`${first}-3`, `${first}-2`, first, ...rest]);
    expect(await read("rss.xml", many)).toContain(`#${first}-3<`);
    expect(await brokenLinks(many, snapshot.site.baseUrl)).toEqual([]);
    expect((await pagesOf(many)).filter((page) => /^\/projects\/p-\d+\//.test(page))).toHaveLength(
      40,
    );
    // A card without an image shows the project's name, as the link that it is.
    const cards = (await readPage(many, "/projects/index.html")).filter((element) =>
      attribute(element, "class")?.split(" ").includes("plate"),
    );
    expect(cards.length).toBeGreaterThan(10);
    expect(textOf(cards[0])).toContain(snapshot.projects[0]?.name);
    // Long résumés go on over pages, and no heading is left alone at the end of one.
    const pdf = await readPdf(join(many, "resume.pdf"));
    expect(pdf.pages.length).toBeGreaterThan(3);
    expect(pdf.lastTags.filter((tag) => /^H\d$/.test(tag))).toEqual([]);
  });

  test("an owner without any content has a complete site", async () => {
    const records = { ...snapshot, projects: [], changelog: [] };
    const resume = { basics: { name: "Åse Łukasz" }, interests: [{ name: "Bees" }] };
    const empty = await buildTemplate(join(folder, "empty"), records, {
      "services.json": await contentWith("services.json", { services: [], not: [] }),
      "resume.json": await contentWith("resume.json", { resume }),
      "website-design.json": await contentWith("website-design.json", {
        deliverables: [],
        steps: [],
        price: [],
        faq: [],
        related: [],
      }),
    });
    const pages = await pagesOf(empty.site);
    expect(pages.filter((page) => page.startsWith("/projects/"))).toEqual(["/projects/index.html"]);
    expect(await brokenLinks(empty.site, snapshot.site.baseUrl)).toEqual([]);
    expect(await read("rss.xml", empty.site)).not.toContain("<item>");
    // No heading stands over nothing.
    const headings = [];
    for (const page of ["/index.html", "/resume/index.html"]) {
      const elements = await readPage(empty.site, page);
      headings.push(elements.filter((element) => element.tagName === "h2").length);
    }
    expect(headings).toEqual([1, 1]);
    // What has no content has no page, and no link leads there.
    const offered = (page: string) => page.includes("/services/");
    expect(pages.filter(offered)).toEqual([]);
    for (const page of pages) expect(await read(page, empty.site)).not.toContain("/services/");
    expect(await read("llms.txt", empty.site)).not.toContain("/services/");
    expect(await read("sitemap-0.xml", empty.site)).not.toContain("/services/");
    const pdf = await readPdf(join(empty.site, "resume.pdf"));
    expect(pdf.pages).toHaveLength(1);
    expect([pdf.letters.has("Å"), pdf.letters.has("Ł")]).toEqual([true, true]);
    expect(resumeFaults(JSON.parse(await read("resume.json", empty.site)))).toEqual([]);
  });

  test("without a résumé, a story, and a portrait, the site has neither their pages nor links to them", async () => {
    const { site: bare } = await buildTemplate(join(folder, "bare"), snapshot, {
      "resume.json": await contentWith("resume.json", { resume: { basics: { name: "Åse" } } }),
      "about.json": await contentWith("about.json", {
        story: [],
        portrait: { src: "", alt: "", width: 0, height: 0, caption: "" },
      }),
      "site.json": await contentWith("site.json", { email: "", place: "", role: "" }),
    });
    const pages = await pagesOf(bare);
    expect(pages.filter((page) => /^\/(?:about|resume)\//.test(page))).toEqual([]);
    expect(await brokenLinks(bare, snapshot.site.baseUrl)).toEqual([]);
    for (const page of [...pages, "llms.txt", "sitemap-0.xml"]) {
      const text = await read(page, bare);
      expect([
        page,
        /href="\/(?:about|resume)\b|mailto:|example.com\/(?:about|resume)/.exec(text),
      ]).toEqual([page, null]);
    }
    await expect(read("resume.json", bare)).rejects.toThrow("ENOENT");
    await expect(read("resume.pdf", bare)).rejects.toThrow("ENOENT");
  });

  test("a hidden page has no feed and no link, and a chosen share image replaces the drawn one", async () => {
    const [project, other, last] = snapshot.projects;
    const path = `/projects/${project?.slug}/`;
    const moved = `/projects/${other?.slug}/`;
    const redirects = [
      { from: "/projects/former/", to: moved },
      { from: "/projects/older/", to: `/projects/${last?.slug}/` },
    ];
    const src = project?.gallery[0]?.src ?? "";
    const quay = { src, alt: "A quay at dusk", width: 1600, height: 1200 };
    const cover = project?.gallery[0];
    const lighter = { ...cover, avif: cover?.variants.slice(0, 2) };
    const [gallery, rest] = [[lighter, ...(project?.gallery.slice(1) ?? [])], snapshot.projects];
    const projects = [{ ...project, gallery }, ...rest.slice(1)] as typeof snapshot.projects;
    const { site: own } = await buildTemplate(
      join(folder, "own"),
      { ...snapshot, projects, redirects },
      {
        "site.json": await contentWith("site.json", { hidden: ["/changelog/", "/services/"] }),
        "share.json": {
          "/": quay,
          [path]: { src: "/images/share.png" },
          "/about/": null,
          "/projects/former/": quay,
          "/projects/older/": quay,
          [`/projects/${last?.slug}/`]: null,
        },
      },
    );
    const pages = await pagesOf(own);
    expect(pages.filter((page) => /^\/(?:changelog|services\/index)/.test(page))).toEqual([]);
    await expect(read("rss.xml", own)).rejects.toThrow("ENOENT");
    expect(await brokenLinks(own, snapshot.site.baseUrl)).toEqual([]);
    for (const page of pages) {
      expect(await read(page, own)).not.toMatch(/rss|\/changelog\/|example\.com\/services\/"/);
    }
    // Browsers that can show AVIF choose among these, others as before.
    const sources = await readPage(own, `${path}index.html`);
    const shown = sources.filter(({ tagName }) => tagName === "source");
    expect(shown.map((source) => attribute(source, "type"))).toEqual(["image/avif"]);
    expect(attribute(shown[0], "srcset")).toMatch(/-480\.webp 480w, \S+-800\.webp 800w$/);
    expect(attribute(shown[0], "sizes")).toContain("vw");
    const image = async (page: string) => {
      const elements = await readPage(own, `${page}index.html`);
      return ["", ":width", ":height", ":alt"].map((part) => metaOf(elements, `og:image${part}`));
    };
    const size = ["1600", "1200", "A quay at dusk"];
    expect(await image("/")).toEqual([`https://example.com${src}`, ...size]);
    const bare = ["https://example.com/images/share.png", undefined, undefined, undefined];
    expect(await image(path)).toEqual(bare);
    const [drawn = ""] = await image("/about/");
    expect(drawn).toMatch(/^https:\/\/example\.com\/og\/\w+\.png$/);
    // The image that was chosen at a former address, unless there is a choice at the present one.
    expect(await image(moved)).toEqual([`https://example.com${src}`, ...size]);
    const [chosenAgain] = await image(`/projects/${last?.slug}/`);
    expect(chosenAgain).toMatch(/^https:\/\/example\.com\/(?:og|images)\/\w+\.png$/);
  });

  test("texts that look like code stay texts", async () => {
    const hostile = (await buildTemplate(join(folder, "hostile"), hostileSnapshot())).site;
    expect(await intrusions(hostile)).toEqual([]);
    const categories = ["65e5-672c", "b", "web"].map((slug) => {
      return `/projects/category/${slug}/index.html`;
    });
    const made = (await pagesOf(hostile)).filter((page) => page.startsWith("/projects/"));
    expect(made).toEqual(
      [
        ...categories,
        "/projects/hostile-2/index.html",
        "/projects/hostile/index.html",
        "/projects/index.html",
      ].toSorted(),
    );
    const elements = await readPage(hostile, "/projects/hostile/index.html");
    expect(textOf(elements[0])).toContain(attack);
    expect(elements.filter((element) => ["b", "i"].includes(element.tagName))).toEqual([]);
    const sections = elements.filter((element) => attribute(element, "class") === "rail");
    expect(sections.map((element) => attribute(element, "id"))).toEqual(
      expect.arrayContaining(["main-2", "main-3"]),
    );
    // Room is kept for an image in the text, and a telephone loads a small one.
    const inText = elements.find((element) => attribute(element, "alt") === "In the text");
    const lighter = elements.filter(({ tagName }) => tagName === "source");
    expect(lighter.map((source) => attribute(source, "type"))).toEqual(["image/avif"]);
    expect(Object.fromEntries(inText?.attrs.map(({ name, value }) => [name, value]) ?? [])).toEqual(
      expect.objectContaining({
        srcset: expect.stringMatching(/-480\.webp 480w, .* 1600w$/),
        sizes: expect.stringContaining("92vw"),
        width: "1600",
        height: "1200",
        loading: "lazy",
        style: expect.stringMatching(/^background-image:url\(data:image\//),
      }),
    );
    const feed = await read("rss.xml", hostile);
    expect(feed).toContain("&lt;script&gt;");
    expect(feed).not.toContain("<script");
    // No font of the site has two of the letters: the page stands for the file.
    await expect(read("resume.pdf", hostile)).rejects.toThrow("ENOENT");
    for (const page of ["resume/index.html", "llms.txt"])
      expect(await read(page, hostile)).not.toContain("resume.pdf");
  });
});

/** What is wrong with a résumé by the schema of jsonresume.org. */
function resumeFaults(resume: unknown): string[] {
  const { validate } = createRequire(import.meta.url)("@jsonresume/schema") as {
    validate: (resume: unknown, response: (errors: { stack: string }[] | null) => void) => void;
  };
  const faults: string[] = [];
  validate(resume, (errors) => faults.push(...(errors ?? []).map((error) => error.stack)));
  return faults;
}

/** Projects of which each lacks something, or has it at its longest. */
function manyProjects(count: number): SnapshotProject[] {
  const [sample] = snapshot.projects;
  if (!sample) throw new Error("The sample has no project.");
  const word = "Å".repeat(200);
  const long = {
    name: word,
    summary: word,
    lede: word,
    role: word,
    kind: word,
    categories: [word],
  };
  const bare = { summary: "", lede: "", body: "", kind: "", period: "", role: "", reelUrl: null };
  const none = { metrics: [], skills: [], stack: [], gallery: [], categories: [] };
  const wide = {
    metrics: [{ value: word, label: word, note: word }],
    skills: [{ group: word, items: [word] }],
  };
  return Array.from({ length: count }, (_, index) => {
    const parts = [{}, { ...bare, ...none }, { ...long, ...wide, body: `## ${word}\n\n${word}` }][
      index % 3
    ];
    return Object.assign({}, sample, parts, { slug: `p-${index}` });
  });
}

const attack = `</script></title><script>alert(1)</script><img src=x onerror=alert(2)>"'&{{7*7}}`;

/** The sample's first project with attacks in every text, with and without an image. */
function hostileSnapshot(): Snapshot {
  const [sample] = snapshot.projects;
  const [imageElement, other] = sample?.gallery ?? [];
  if (!sample || !imageElement || !other)
    throw new Error("The sample has no project with a picture.");
  const placeholder = "x);background:url(https://evil.example/x)";
  const project = {
    ...sample,
    slug: "hostile",
    name: attack,
    summary: attack,
    lede: attack,
    kind: attack,
    period: `${attack} 日本`,
    role: attack,
    categories: ["<b>&", "日本", "Web!", "web"],
    stack: [attack],
    skills: [{ group: attack, items: [attack] }],
    metrics: [{ value: "<b>1</b>", label: attack, note: attack }],
    gallery: [
      { ...imageElement, alt: attack, caption: attack, placeholder },
      {
        ...imageElement,
        alt: attack,
        caption: attack,
        placeholder: 'data:image/png;base64,"><script>',
      },
    ],
    body: `${hostileBody}\n\n![In the text](${imageElement.src}) ![${attack}](${other.src})`,
    bodyPictures: [
      { ...imageElement, avif: imageElement.variants },
      { ...other, placeholder },
    ],
    reelUrl: null,
  };
  const at = "2026-11-01T00:00:00.000Z";
  const change = { kind: attack, title: attack, detail: attack, actor: attack, at };
  const projects = [project, { ...project, slug: "hostile-2", gallery: [], body: deepBody }];
  return { ...snapshot, projects, changelog: [change] };
}

/** More levels than the renderer's stack has room for. */
const deepBody = ">".repeat(20_000);

const hostileBody = [
  attack,
  `## ${attack}`,
  "[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) [g](/\\evil.example) <https://good.example>",
  "![d](https://evil.example/x.png) ![e](/media/../x.png) ![f][1]",
  "[1]: javascript:alert(1)",
  "<iframe src=https://evil.example></iframe> <b>inline</b> <i onclick=x>",
  '| a |\n|---|\n| <img src=x onerror="alert(3)"> |',
  "```<script>\n</code><script>alert(4)</script>\n```",
  "## Main\n\ntext\n\n## Main\n\ntext",
].join("\n\n");
