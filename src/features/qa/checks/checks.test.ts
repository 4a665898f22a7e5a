import { expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../../../test/support/temp.ts";
import {
  goodPage,
  goodStyle,
  manifestOf,
  type SiteFiles,
  writeSite,
} from "../../../../test/support/built-site.ts";
import { makeLookCache, lookAt } from "../look.ts";
import { makeSiteCaches, openSite } from "../site/site.ts";
import { loadChecks } from "./load.ts";

const redirects = { "/old/": "/about/" };

/** A small site without faults; `files` are added or take the place of others. */
function siteWith(files: SiteFiles): SiteFiles {
  return {
    "index.html": goodPage("/"),
    "about/index.html": goodPage("/about/", `<h1 id="top-of-it">About</h1><p>Me.</p>`),
    "old/index.html": `<!doctype html><title>Moved</title><meta http-equiv="refresh" content="0;url=/about/">`,
    "site.css": goodStyle,
    "p.png": "png",
    "empty.png": "",
    "sitemap-0.xml": "<urlset><url><loc>https://example.com/about/</loc></url></urlset>",
    ...files,
  };
}

/** What is found on the page at /t/, by check. */
async function findings(folder: TempFolder, files: SiteFiles): Promise<Map<string, string[]>> {
  const all = siteWith(files);
  const dir = `${folder.path}/site`;
  await writeSite(dir, all, redirects);
  const site = openSite(dir, manifestOf(all, redirects), makeSiteCaches());
  const look = lookAt(site, "/t/", makeLookCache());
  expect(look.failures).toEqual([]);
  const found = Map.groupBy(look.findings, ({ check }) => check);
  return new Map([...found].map(([id, list]) => [id, list.map(({ message }) => message)]));
}

const inMain = (main: string, head = ""): SiteFiles => ({
  "t/index.html": goodPage("/t/", `<h1>Title</h1>${main}`, head),
});
const whole = (html: string): SiteFiles => ({ "t/index.html": html });
const replaced = (what: string | RegExp, by: string): SiteFiles =>
  whole(goodPage("/t/").replace(what, by));

/** For each check a page with its defect, once, and one beside the mark that has none. */
const cases: Record<string, { bad: SiteFiles; good: SiteFiles }> = {
  "page.empty-body": {
    bad: whole(goodPage("/t/").replace(/<body>.*<\/body>/s, `<body><p hidden>x</p></body>`)),
    good: whole(goodPage("/t/").replace(/<main.*<\/footer>/s, `<main><svg></svg></main>`)),
  },
  "page.duplicate-id": {
    bad: inMain(`<p id="a">One</p><p id="a">Two</p>`),
    good: inMain(`<p id="a">One</p><template><p id="a">Two</p></template>`),
  },
  "page.size-html": {
    bad: inMain(`<p>${"word ".repeat(110_000)}</p>`),
    good: inMain(`<p>${"word ".repeat(10_000)}</p>`),
  },
  "page.charset-missing": {
    bad: replaced(`<meta charset="utf-8">`, ""),
    good: replaced(
      `<meta charset="utf-8">`,
      `<meta http-equiv="Content-Type" content="text/html; charset=utf-8">`,
    ),
  },
  "link.internal-broken": {
    bad: inMain(`<a href="/gone/">Gone</a>`),
    good: inMain(
      `<a href="/about">A</a><a href="../about/">B</a><a href="/admin">C</a><a href="https://example.com/about/">D</a><a href="https://other.example/x">E</a>`,
    ),
  },
  "link.case-mismatch": {
    bad: inMain(`<a href="/About/">About</a>`),
    good: inMain(`<a href="/about/">About</a>`),
  },
  "link.fragment-missing": {
    bad: inMain(`<a href="/about/#nowhere">x y</a>`),
    good: inMain(
      `<a href="/about/#top-of-it">a</a><a href="#main">b</a><a href="#top">c</a><a href="/about/#:~:text=Me">d</a>`,
    ),
  },
  "link.malformed": {
    bad: inMain(`<a href="https:/example.com">x y</a>`),
    good: inMain(`<a href="https://example.com:8080/a?b=c d">x y</a>`),
  },
  "link.empty-href": {
    bad: inMain(`<a href="#">Nothing</a>`),
    good: inMain(`<a href="#" role="button">Open</a><a>Not a link</a>`),
  },
  "link.dev-host": {
    bad: inMain(`<a href="http://localhost:4321/x">x y</a>`),
    good: inMain(`<a href="https://localhost.example.com/">x y</a>`),
  },
  "link.no-text": {
    bad: inMain(`<a href="/about/"><svg></svg></a>`),
    good: inMain(
      `<a href="/about/"><svg><title>About</title></svg></a><a href="/" aria-label="Home"></a><a href="/" aria-hidden="true" tabindex="-1"></a>`,
    ),
  },
  "link.self-redirect": {
    bad: inMain(`<a href="/old/">Old</a>`),
    good: inMain(`<a href="/about/">New</a>`),
  },
  "link.http-on-https": {
    bad: inMain(`<a href="http://example.com/about/">x y</a>`),
    good: inMain(`<a href="http://other.example/">x y</a>`),
  },
  "link.mailto-invalid": {
    bad: inMain(`<a href="mailto:me at example.com">x y</a>`),
    good: inMain(`<a href="mailto:me@example.com?subject=Hi%20there">x y</a>`),
  },
  "link.tel-invalid": {
    bad: inMain(`<a href="tel:call me">x y</a>`),
    good: inMain(`<a href="tel:+46 (0)31-123 45">x y</a>`),
  },
  "asset.broken": {
    bad: inMain(`<script src="/gone.js"></script>`),
    good: inMain(`<iframe title="x" src="https://other.example/"></iframe>`),
  },
  "asset.css-url-broken": {
    bad: { ...inMain(""), "site.css": `${goodStyle}.a{background-image:url(/gone.png)}` },
    good: {
      ...inMain(""),
      "site.css": `${goodStyle}.a{background-image:url("p.png"),url(data:image/png;base64,aa);mask:url(#m)}`,
    },
  },
  "img.broken": {
    bad: inMain(`<img src="/gone.png" alt="A" width="1" height="1">`),
    good: inMain(`<img src="../p.png" alt="A" width="1" height="1">`),
  },
  "img.srcset-broken": {
    bad: inMain(`<img src="/p.png" srcset="/p.png 1x, /gone.png 2x" alt="A" width="1" height="1">`),
    good: inMain(`<img src="/p.png" srcset="/p.png 480w" alt="A" width="1" height="1">`),
  },
  "img.not-image": {
    bad: inMain(`<img src="/about/" alt="A" width="1" height="1">`),
    good: inMain(`<img src="/p.png" alt="A" width="1" height="1">`),
  },
  "img.zero-bytes": {
    bad: inMain(`<img src="/empty.png" alt="A" width="1" height="1">`),
    good: inMain(`<img src="/p.png" alt="A" width="1" height="1">`),
  },
  "img.alt-missing": {
    bad: inMain(`<img src="/p.png" width="1" height="1">`),
    good: inMain(
      `<img src="/p.png" alt="" width="1" height="1"><img src="/p.png" role="none" width="1" height="1"><span aria-hidden="true"><img src="/p.png" width="1" height="1"></span>`,
    ),
  },
  "img.alt-filename": {
    bad: inMain(`<img src="/p.png" alt="IMG_2041.jpg" width="1" height="1">`),
    good: inMain(`<img src="/p.png" alt="The harbour at 4.30" width="1" height="1">`),
  },
  "img.link-no-alt": {
    bad: inMain(`<a href="/about/"><img src="/p.png" alt="" width="1" height="1"></a>`),
    good: inMain(`<a href="/about/"><img src="/p.png" alt="" width="1" height="1"> About</a>`),
  },
  "img.dimensions-missing": {
    bad: inMain(`<img src="/p.png" alt="A">`),
    good: inMain(`<img src="/p.png" alt="A" style="width:100%;aspect-ratio:3/2">`),
  },
  "seo.title-missing": {
    bad: replaced(/<title>.*<\/title>/, "<title> </title>"),
    good: replaced(/<title>.*<\/title>/, "<title>T</title>"),
  },
  "seo.title-duplicate": {
    bad: replaced(/<title>.*<\/title>/, "<title>Page /about/</title>"),
    good: replaced(/<title>.*<\/title>/, "<title>page /about/</title>"),
  },
  "seo.h1-missing": {
    bad: replaced(/<h1>.*<\/h1>/, ""),
    good: replaced(/<h1>.*<\/h1>/, `<div role="heading" aria-level="1">T</div>`),
  },
  "seo.h1-multiple": { bad: inMain("<h1>Another</h1>"), good: inMain("<h1 hidden>x</h1>") },
  "seo.canonical-missing": {
    bad: replaced(/<link rel="canonical"[^>]*>/, ""),
    good: replaced(/<link rel="canonical"[^>]*>/, `<meta name="robots" content="noindex">`),
  },
  "seo.canonical-broken": {
    bad: replaced(`https://example.com/t/`, "https://example.com/gone/"),
    good: replaced(`https://example.com/t/`, "/t/"),
  },
  "seo.canonical-mismatch": {
    bad: replaced(`https://example.com/t/`, "https://example.com/about/"),
    good: replaced(`https://example.com/t/`, "https://example.com/t/?"),
  },
  "seo.noindex-unexpected": {
    bad: {
      ...inMain("", `<meta name="robots" content="noindex">`),
      "sitemap-0.xml": "<urlset><url><loc>https://example.com/t/</loc></url></urlset>",
    },
    good: inMain("", `<meta name="robots" content="noindex">`),
  },
  "meta.description-missing": {
    bad: replaced(/<meta name="description"[^>]*>/, ""),
    good: replaced(/<meta name="description"[^>]*>/, `<meta name="Description" content="d">`),
  },
  "meta.description-duplicate": {
    bad: replaced(`What is at /t/`, "What is at /about/"),
    good: replaced(`What is at /t/`, ""),
  },
  "meta.viewport": {
    bad: replaced("width=device-width", "width=device-width, user-scalable=no"),
    good: replaced("width=device-width", "width=device-width, maximum-scale=5"),
  },
  "meta.lang": {
    bad: replaced(`lang="en"`, ""),
    good: inMain(`<p lang="sv">Hej</p><p lang="zz"><span lang="de-AT">Grüezi</span></p>`),
  },
  "meta.og-image-broken": {
    bad: inMain("", `<meta property="og:image" content="https://example.com/gone.png">`),
    good: inMain("", `<meta property="og:image" content="https://example.com/p.png">`),
  },
  "meta.jsonld-syntax": {
    bad: inMain("", `<script type="application/ld+json">{"a":}</script>`),
    good: inMain("", `<script type="application/ld+json">{"a":1}</script>`),
  },
  "a11y.heading-skip": {
    bad: inMain("<h3>x</h3>"),
    good: inMain("<h2>x</h2><h3>y</h3><h2>z</h2>"),
  },
  "a11y.contrast": {
    bad: inMain(`<p style="color:#aaa">Faint words</p>`),
    good: inMain(
      `<p style="color:#767676">Words</p><p style="color:#949494;font-size:24px">Large</p>`,
    ),
  },
  "a11y.axe.label": {
    bad: inMain(`<input name="mail">`),
    good: inMain(
      `<label for="m">Mail</label><input id="m"><label>Name <input></label><input type="hidden">`,
    ),
  },
  "a11y.axe.button-name": {
    bad: inMain(`<button><svg></svg></button>`),
    good: inMain(`<button aria-label="Close"><svg></svg></button><input type="submit">`),
  },
  "a11y.axe.empty-heading": {
    bad: inMain("<h2><span hidden>x</span></h2>"),
    good: inMain(`<h2><img src="/p.png" alt="A" width="1" height="1"></h2>`),
  },
  "a11y.axe.list": {
    bad: inMain("<ul><div>x</div></ul>"),
    good: inMain(`<ul><li>x</li></ul><ul role="presentation"><div>x</div></ul>`),
  },
  "a11y.axe.listitem": {
    bad: inMain("<div><li>x</li></div>"),
    good: inMain("<ol><li>x</li></ol>"),
  },
  "a11y.axe.landmark-one-main": {
    bad: replaced(/<main id="main">/, "<div>"),
    good: inMain(`<main hidden>x</main>`),
  },
  "a11y.axe.frame-title": {
    bad: inMain(`<iframe src="https://other.example/"></iframe>`),
    good: inMain(`<iframe src="https://other.example/" title="A map"></iframe>`),
  },
  "a11y.axe.role-img-alt": {
    bad: inMain(`<svg role="img"></svg>`),
    good: inMain(`<svg role="img"><title>A map</title></svg><svg></svg>`),
  },
  "sec.mixed-content": {
    bad: inMain(`<script src="http://other.example/x.js"></script>`),
    good: inMain(`<a href="http://other.example/">x y</a>`),
  },
  "form.insecure-action": {
    bad: inMain(`<form action="http://other.example/"></form>`),
    good: inMain(`<form action="/api/contact"></form>`),
  },
  "text.placeholder": {
    bad: inMain("<p>Lorem ipsum dolor</p>"),
    good: inMain("<p>My to do list: <code>TODO</code></p>"),
  },
  "text.mojibake": { bad: inMain("<p>CafÃ© au lait</p>"), good: inMain("<p>Café “Ånge” São</p>") },
};

test("every check has its cases", async () => {
  const pageChecks = await loadChecks("page");
  expect(Object.keys(cases).toSorted()).toEqual(pageChecks.map(({ id }) => id).toSorted());
});

test.each(Object.entries(cases))("%s", async (id, { bad, good }) => {
  await using folder = await tempFolder();
  const found = await findings(folder, bad);
  expect(found.get(id)).toHaveLength(1);
  await using other = await tempFolder();
  expect((await findings(other, good)).get(id)).toBeUndefined();
});

test("a page without faults has no finding", async () => {
  await using folder = await tempFolder();
  expect([...(await findings(folder, inMain("<p>Words</p>")))]).toEqual([]);
});
