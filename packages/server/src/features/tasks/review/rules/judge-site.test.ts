import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  goodPage,
  type SiteFiles,
  writeSite,
} from "../../../../../../../test/support/built-site.ts";
import { tempFolder, type TempFolder } from "../../../../../../../test/support/temp.ts";
import { readManifest } from "../../../release/artifact/artifact.ts";
import { deriveScope } from "../../scope/derive-scope.ts";
import type { AttachedImage } from "./review-context.ts";
import { judgeSite } from "./judge-site.ts";

const style =
  ":root{--bg:#ffffff;--text:#222222;--accent:#2440d8;--size-text:1.0625rem;--space-4:1rem;--radius:10px}body{background:var(--bg);color:var(--text);font-size:var(--size-text)}a{color:var(--accent)}.cards{gap:var(--space-4)}a:hover{color:var(--text)}@media print{nav{display:none}}";
const form =
  '<form method="post" action="/api/contact"><label>Name <input name="name"></label><div class="trap" aria-hidden="true"><input name="website"></div><button>Send</button></form>';
const data =
  '<script type="application/ld+json">{"@type":"Person","name":"Mara","email":"mailto:mara@example.com"}</script>';
const png = Buffer.from("89504e470d0a1a0a0000000d494844520000000100000001", "hex");

/** What Pagefind says of an index or a part of it. */
const indexEntry = (more: object) =>
  JSON.stringify({
    version: "1.5.2",
    languages: { en: { hash: "en_0a1b", wasm: "en", page_count: 3 } },
    include_characters: ["_"],
    ...more,
  });
const part = "0a".repeat(16);

const live: Record<string, string | Buffer> = {
  "index.html": goodPage(
    "/",
    '<h1>Work</h1><p>I design dull software.</p><img src="/images/work.png" alt="Work">',
    data,
  ),
  "about/index.html": goodPage(
    "/about/",
    '<h1>About me</h1><section><h2>Story</h2><p>My mother kept the books of a sawmill.</p><p>I studied design in Gothenburg and take three projects a year.</p></section><section><h2>How I work</h2><ul class="cards"><li><h3>Sit beside the person</h3><p>Twice.</p></li><li><h3>Name the cost</h3><p>A problem has hours in it. <a href="/contact/">Write to me</a>.</p></li></ul><p>Pay at <a href="https://pay.example/mara">the desk</a> or write to <a href="mailto:mara@example.com">mara@example.com</a>, 031 55 12 34.</p><img src="/images/me.png" alt="Me"></section>',
    data,
  ),
  "contact/index.html": goodPage(
    "/contact/",
    `<h1>Contact</h1><p>Two lines are enough.</p>${form}`,
  ),
  "images/me.png": png,
  "images/work.png": png,
  "images/attached.png": png,
  "pagefind/pagefind-entry.json": indexEntry({}),
  "robots.txt": "User-agent: *\nDisallow: /admin\n",
  "site.css": style,
};

let folder: TempFolder;
let count = 0;
beforeAll(async () => {
  folder = await tempFolder();
  await writeSite(join(folder.path, "live"), live);
});
afterAll(() => folder.remove());
let reply: string;
beforeEach(() => {
  reply = "Rewrite the story and the list, and the heading.";
});

type Edit = string | Buffer | null | ((text: string) => string);

const open = async (dir: string) => ({ dir, manifest: await readManifest(`${dir}.json`) });

/** What no rule allows of these edits of the built site, for a task about the page /about/. */
interface About {
  pageUrl?: string | null;
  finding?: { check: string; targets: string[] };
  hasAttachments?: boolean;
  attachedImages?: AttachedImage[];
}

async function problems(edits: Record<string, Edit>, more: About = {}) {
  const dir = join(folder.path, String((count += 1)));
  const next = { ...live };
  for (const [file, edit] of Object.entries(edits)) {
    const body = typeof edit === "function" ? edit(String(live[file])) : edit;
    if (body === null) delete next[file];
    else next[file] = body;
  }
  await writeSite(dir, next as SiteFiles);
  const scope = deriveScope({
    kind: "edit",
    instruction: reply,
    pageUrl: more.pageUrl === undefined ? "/about/" : more.pageUrl,
    projectPath: null,
    hasAttachments: more.hasAttachments ?? false,
    finding: more.finding ? { ...more.finding, pages: ["/about/"] } : null,
  });
  const sites = { live: await open(join(folder.path, "live")), next: await open(dir) };
  const rest = { entry: null, origin: "https://example.com", mediaDir: null, files: [] };
  const { attachedImages = [] } = more;
  const { problems: found } = judgeSite({ ...sites, ...rest, attachedImages, scope });
  return found.map(({ group, what, path }) => `${group}: ${what} (${path})`);
}

const about = (from: string, to: string) => ({
  "about/index.html": (text: string) => {
    if (!text.includes(from)) throw new Error(`The page lacks ${from}`);
    return text.replace(from, () => to);
  },
});
const css = (from: string, to: string) => ({ "site.css": style.replace(from, to) });

describe("goes live", () => {
  test.each<[string, string, Record<string, Edit>]>([
    ["a typing error", "Fix the typo in the story.", about("sawmill", "saw mill")],
    [
      "a sentence",
      "Rewrite the first sentence of the story.",
      about("My mother kept the books of a sawmill.", "My mother was the bookkeeper of a sawmill."),
    ],
    ["a heading", "Change the heading to “Hello”.", about("<h1>About me</h1>", "<h1>Hello</h1>")],
    [
      "a paragraph",
      "Add a paragraph to the story.",
      about("a year.</p>", "a year.</p><p>Since 2021 I work for <strong>myself</strong>.</p>"),
    ],
    [
      "an item like the others",
      "Add an item to the list.",
      about("</ul>", "<li><h3>Say what failed</h3><p>Every time.</p></li></ul>"),
    ],
    [
      "another order",
      "Put “Name the cost” first.",
      {
        "about/index.html": (text) => {
          const item = "<li><h3>Sit beside the person</h3><p>Twice.</p></li>";
          return text.replace(item, "").replace("</ul>", `${item}</ul>`);
        },
      },
    ],
    [
      "a passage less",
      "Remove the paragraph about my studies.",
      about("<p>I studied design in Gothenburg and take three projects a year.</p>", ""),
    ],
    [
      "a link inside the site",
      "Link the words to the home page.",
      about("Gothenburg", '<a href="/">Gothenburg</a>'),
    ],
    [
      "a title",
      "Change the title of the page for search engines.",
      about("<title>Page /about/", "<title>About Mara"),
    ],
    ["an alt text", "Write a better alt text.", about('alt="Me"', 'alt="Mara at her desk"')],
    ["a color", "Make the accent color green.", css("--accent:#2440d8", "--accent:#1c6b3c")],
    ["a size", "The text is a little small, one step larger.", css("1.0625rem", "1.125rem")],
    [
      "a price that the owner names",
      "Say in the story that a year costs €900.",
      about("a year.", "a year, for €900."),
    ],
  ])("%s", async (_, instruction, edits) => {
    reply = instruction;
    expect(await problems(edits)).toEqual([]);
  });

  test("the same words on another page as well, and nothing else there", async () => {
    reply = "Rewrite the heading “Story”.";
    const edits = about("<h2>Story</h2>", "<h2>How it came about</h2>");
    expect(await problems(edits)).toEqual([]);
    const more = { "index.html": (text: string) => text.replace("dull", "calm") };
    expect(await problems({ ...edits, ...more })).toEqual([
      expect.stringMatching(/^outside: text.*\(\/\)$/),
    ]);
  });
});

describe("abuse 127: a style sheet that hides, covers, moves, shrinks or disarms", () => {
  test.each([
    ["a new rule", "}a{", "}main{display:none}a{"],
    ["a declaration", "body{background", "body{opacity:0;background"],
    ["a state", "a:hover{color:var(--text)}", "a:hover{color:var(--bg)}"],
    ["paper", "nav{display:none}", "main{display:none}"],
    ["a color of the background", "--accent:#2440d8", "--accent:#fefefe"],
    ["a transparent color", "--text:#222222", "--text:#22222200"],
    ["a size of nothing", "1.0625rem", "0.1rem"],
    ["a loaded image", "--radius:10px", "--radius:url(/x)"],
    ["an environment value", "--space-4:1rem", "--space-4:env(x,100vw)"],
    ["a font from elsewhere", "a{color", "@font-face{font-family:x;src:url(/x.woff2)}a{color"],
  ])("%s", async (_, from, to) => {
    reply = "Change the accent color, the text color, the spacing, the size and the radius.";
    expect(await problems(css(from, to))).not.toEqual([]);
  });
});

const contact = (from: string, to: string) => ({
  "contact/index.html": (text: string) => text.replace(from, () => to),
});

test.each([
  ["removed", form, ""],
  ["sent by GET", 'method="post"', 'method="get"'],
  ["sent elsewhere", "/api/contact", "/api/account/delete"],
  ["its trap filled", '<input name="website">', '<input name="website" value="x">'],
  ["a field for passwords", "<button>", '<input type="password" name="password"><button>'],
  ["another label", "Name <input", "Password <input"],
  [
    "a second form",
    "</form>",
    '</form><form action="/api/account/signin"><input name="email"></form>',
  ],
])("abuse 128: a form that is %s", async (_, from, to) => {
  reply = "Rewrite the text of the contact page.";
  expect(await problems(contact(from, to), { pageUrl: "/contact/" })).not.toEqual([]);
});

test.each([
  ['<svg><a href="/"><set attributeName="href" to="/contact/"/><text>x</text></a></svg>'],
  ['<svg><animate attributeName="href" values="/a;/b"/></svg>'],
  ['<p onclick="x()">Hello</p>'],
  ['<iframe src="/contact/"></iframe>'],
  ['<a href="/contact/" ping="/x">Hello</a>'],
  ['<p style="position:fixed;inset:0">Hello</p>'],
  ["<!-- for those who read the source -->"],
  ["<base href='/x/'>"],
])("abuse 129: markup that does more than say something: %s", async (markup) => {
  expect(await problems(about("</section>", `${markup}</section>`))).not.toEqual([]);
});

test.each([
  ["an address", "kept the books", "kept the books (mara@evil.example)"],
  ["another address", ">mara@example.com<", ">mara@evil.example<"],
  ["an address in words", "kept the books", "kept the books, mara at evil dot com"],
  ["an address with a soft hyphen", "kept the books", "kept the books, mara\u00ad@evil.example"],
  ["a domain", "kept the books", "kept the books, see evil.example"],
  ["full width", "kept the books", "kept the books, ｍａｒａ＠ｅｖｉｌ"],
  ["another number", "031 55 12 34", "031 55 12 35"],
  ["a number in words", "kept the books", "kept the books: zero three one five five one two"],
  ["a price", "three projects a year", "three projects a year for €9"],
  ["a price in words", "kept the books", "kept the books for six hundred euros"],
  ["an account", "kept the books", "kept the books, SE45 5000 0000 0583 9825 7466"],
  ["a service", "kept the books", "kept the books; pay by PayPal"],
])("abuse 130: %s in a text", async (_, from, to) => {
  expect(await problems(about(from, to))).toEqual([expect.stringMatching(/^(?:sensitive|markup)/)]);
});

test.each([
  ["to the same origin", "https://pay.example/mara", "https://pay.example/other"],
  ["elsewhere", 'href="/contact/"', 'href="https://evil.example/"'],
  ["to a person", 'href="/contact/"', 'href="mailto:other@example.com"'],
  ["to the console", 'href="/contact/"', 'href="/admin/"'],
  ["with a query", 'href="/contact/"', 'href="/contact/?message=x"'],
  ["taken away", '<a href="https://pay.example/mara">the desk</a>', "the desk"],
])("abuse 131: a link swapped %s", async (_, from, to) => {
  reply = "Rewrite the list and its links.";
  expect(await problems(about(from, to))).not.toEqual([]);
});

test.each([
  [
    '<link rel="canonical" href="https://example.com/about/">',
    '<link rel="canonical" href="https://evil.example/about/">',
  ],
  ['"name":"Mara"', '"name":"Mallory"'],
  ['mailto:mara@example.com"}', 'mailto:evil@example.com"}'],
  ["</head>", '<meta name="robots" content="noindex"></head>'],
  ["</head>", '<meta name="google-site-verification" content="x"></head>'],
  ["</head>", '<meta name="monetization" content="$wallet.example/x"></head>'],
  ["</head>", '<meta http-equiv="Content-Security-Policy" content="script-src \'none\'"></head>'],
  ["</head>", '<meta http-equiv="refresh" content="0;url=/contact/"></head>'],
  ["</head>", '<link rel="manifest" href="/images/me.png"></head>'],
  ['<html lang="en">', '<html lang="en" hidden>'],
  ["width=device-width", "width=9999"],
])("abuse 132: a head that speaks for somebody else: %s", async (from, to) => {
  reply = "Change title and description of the page.";
  expect(await problems(about(from, to))).not.toEqual([]);
});

test.each<[string, Record<string, Edit>]>([
  ["robots.txt", { "robots.txt": "User-agent: *\nDisallow: /\n" }],
  ["ads.txt", { "ads.txt": "evil.example, 1, DIRECT\n" }],
  ["a manifest", { "site.webmanifest": "{}" }],
  ["a program", { "files/setup.bat": "@echo off" }],
  ["an image that is a page", { "images/me.png": "<script>x</script>" }],
  ["another image", { "images/me.png": Buffer.concat([png, png]) }],
  [".well-known", { ".well-known/security.txt": "Contact: mailto:evil@example.com" }],
  ["a page under /admin/", { "admin/index.html": goodPage("/admin/") }],
  ["a page under /account/", { "account/index.html": goodPage("/account/") }],
  ["a page under /api/", { "api/index.html": goodPage("/api/") }],
  ["a new page", { "offer/index.html": goodPage("/offer/") }],
  ["a page that is gone", { "contact/index.html": null }],
])("abuse 133: a file that no task is about: %s", async (_, edits) => {
  expect(await problems(edits)).toEqual([expect.stringMatching(/^files/)]);
});

const otherPages = { en: { hash: "en_2c", wasm: "en", page_count: 128 } };

test("a part of the search index that other pages make up goes live", async () => {
  const edits = {
    [`pagefind/${part}/pagefind-entry.json`]: indexEntry({ languages: otherPages }),
    [`pagefind/${part}/pagefind.en_2c.pf_meta`]: gzipSync("pagefind_dcdmeta"),
    [`pagefind/${part}/index/en_3.pf_index`]: gzipSync("pagefind_dcdwords"),
    "pagefind/parts.json": JSON.stringify([part]),
  };
  expect(await problems(edits)).toEqual([]);
});

test.each([
  ["the description of a part", "pagefind-entry.json", indexEntry({ languages: { en: "x" } })],
  ["a description that is none", "pagefind-entry.json", "<script>"],
  ["a program in a part", "pagefind.js", "alert(1)"],
  ["a part that is none", "index/en_3.pf_index", "<p>x"],
])("abuse 133: %s", async (_, name, text) => {
  expect(await problems({ [`pagefind/${part}/${name}`]: text })).not.toEqual([]);
});

test("abuse 133: a list of parts that aren't there", async () => {
  for (const list of [[part], ["../../images"], { part }])
    expect(await problems({ "pagefind/parts.json": JSON.stringify(list) })).not.toEqual([]);
});

test.each([
  ["hidden", "<p hidden>Cheap pills</p>"],
  ["kept from readers of screens", '<p aria-hidden="true">Cheap pills</p>'],
  ["of a class of its own", '<p class="off">Cheap pills</p>'],
  ["of no width", "<p>Che\u200bap</p>"],
  ["of letters that look alike", "<p>Раураl</p>"],
  ["turned around", "<p>\u202eabc</p>"],
  ["in an inert part", "<div inert><p>Cheap pills</p></div>"],
])("abuse 134: a text that is %s", async (_, markup) => {
  expect(await problems(about("</section>", `${markup}</section>`))).not.toEqual([]);
});

test.each([
  [
    "another page",
    "Fix the typo in the story.",
    { "index.html": (text: string) => text.replace("dull", "calm") },
  ],
  [
    "another passage",
    "The project count is four now: “take three projects a year”.",
    about("My mother kept the books of a sawmill.", "My mother was a thief."),
  ],
  [
    "different words from the quoted ones",
    "Change “Story” to “Background”.",
    about("<h2>Story</h2>", "<h2>Lies</h2>"),
  ],
  [
    "more than a typing error",
    "Fix the typo in the story.",
    about(
      "My mother kept the books of a sawmill.",
      "Nothing of what follows here is true, and nobody should believe a word of it at all.",
    ),
  ],
  [
    "a passage taken away unasked",
    "Fix a word in the list.",
    about("<p>My mother kept the books of a sawmill.</p>", ""),
  ],
  ["an attribute", "Rewrite the story.", about('alt="Me"', 'alt="Cheap pills"')],
])("abuse 135: %s than the task is about", async (_, instruction, edits) => {
  reply = instruction;
  expect(await problems(edits as Record<string, Edit>)).not.toEqual([]);
});

test.each([
  [
    "link.internal-broken",
    "/contact/",
    about('href="/contact/"', 'href="/"'),
    about('<a href="/contact/">', '<a href="/" class="x">'),
  ],
  [
    "img.alt-missing",
    "/images/me.png",
    about('alt="Me"', 'alt="Mara at her desk"'),
    about("kept the books", "cooked the books"),
  ],
  [
    "text.spelling",
    "sawmill",
    about("sawmill", "saw mill"),
    about("the books of a sawmill", "a sawmill of the books"),
  ],
])("abuse 135: a fix of %s changes only what was found", async (check, target, right, wrong) => {
  reply = "";
  const finding = { check, targets: [target] };
  expect(await problems(right, { finding })).toEqual([]);
  expect(await problems(wrong, { finding })).not.toEqual([]);
  for (const targets of [[], ["/elsewhere/"]])
    expect(await problems(right, { finding: { check, targets } })).not.toEqual([]);
});

test.each([
  [
    "more than the words in place of others",
    "Change “Story” to “Background”.",
    about("<h2>Story</h2>", "<h2>Background, or ask somebody else</h2>"),
  ],
  [
    "a passage beside the words in place of others",
    "“takes what” should be “kept what”; “the books” should be “the ledgers”.",
    about("My mother kept the books of a sawmill.", "My mother kept the ledgers of nobody."),
  ],
  [
    "more than the dictated text",
    "Add a paragraph to the story: I teach each spring.",
    about("a year.</p>", "a year.</p><p>I teach each spring. Book at another studio.</p>"),
  ],
  [
    "a text in place of which the dictated one is put, where it is to be added",
    "Add a paragraph to the story: I teach each spring.",
    about("My mother kept the books of a sawmill.", "I teach each spring."),
  ],
])("abuse 135: %s", async (_, instruction, edits) => {
  reply = instruction;
  expect(await problems(edits)).not.toEqual([]);
});

test("abuse 135: a task about an image leaves texts and other alt texts alone", async () => {
  reply = "Replace the portrait by the attached photo.";
  const more = { hasAttachments: true };
  expect(await problems(about("A problem has hours in it.", "None."), more)).not.toEqual([]);
  expect(await problems(about('alt="Me"', 'alt="Cheap pills"'), more)).not.toEqual([]);
});

test("abuse 135: a task with an attached image puts no other image in its place", async () => {
  reply = "Replace the portrait by the attached photo.";
  const attachedImages = [{ paths: ["/images/attached.png"], alt: "Me at my desk" }];
  const more = { hasAttachments: true, attachedImages };
  const portrait = (src: string, alt: string) =>
    problems(about('src="/images/me.png" alt="Me"', `src="${src}" alt="${alt}"`), more);
  expect(await portrait("/images/attached.png", "Me at my desk")).toEqual([]);
  expect(await portrait("/images/work.png", "Me at my desk")).not.toEqual([]);
  expect(await portrait("/images/attached.png", "Wanted by the police")).not.toEqual([]);
  reply = 'Replace the portrait by the attached photo, alt text "At work".';
  expect(await portrait("/images/attached.png", "At work")).toEqual([]);
});

test("abuse 132: what browsers don’t show is not added, though the site has such elements", async () => {
  const before = String(live["about/index.html"]);
  live["about/index.html"] = before.replace("</main>", "<noscript><p>Hello</p></noscript></main>");
  try {
    await writeSite(join(folder.path, "live"), live as SiteFiles);
    reply = "Add a paragraph to the story.";
    const spam = (tag: string) =>
      problems(about("a year.</p>", `a year.</p><p>More.</p><${tag}>Cheap loans</${tag}>`));
    for (const tag of ["noscript", "template"]) expect(await spam(tag)).not.toEqual([]);
    expect(await problems(about("a year.</p>", "a year.</p><p>More.</p>"))).toEqual([]);
  } finally {
    live["about/index.html"] = before;
    await writeSite(join(folder.path, "live"), live as SiteFiles);
  }
});

test("abuse 135: another sentence of the passage that the task names", async () => {
  const both = "I studied design in Gothenburg. I answer within two days.";
  const before = String(live["about/index.html"]);
  live["about/index.html"] = before.replace("My mother kept the books of a sawmill.", both);
  try {
    await writeSite(join(folder.path, "live"), live as SiteFiles);
    reply = "My design was in Lund, not Gothenburg.";
    const change = (to: string) => problems(about(both, to));
    expect(await change("I studied design in Lund. I answer within two days.")).toEqual([]);
    expect(await change("I studied design in Lund. I answer within two hours.")).not.toEqual([]);
    reply = "I take four projects a year now.";
    expect(await change("I studied design in Gothenburg. I answer in two hours.")).not.toEqual([]);
  } finally {
    live["about/index.html"] = before;
    await writeSite(join(folder.path, "live"), live as SiteFiles);
  }
});

const labelled = (text: string) =>
  contact('<label>Name <input name="name"></label>', `<label for="n">${text}</label>`);

test("abuse 128: of a form only a slip of the pen in a label goes live", async () => {
  const before = String(live["contact/index.html"]);
  live["contact/index.html"] = labelled("Your e-mail address")["contact/index.html"](before);
  try {
    await writeSite(join(folder.path, "live"), live as SiteFiles);
    reply = "Fix the spelling on the contact page.";
    const change = (to: string) =>
      problems(contact("Your e-mail address", to), { pageUrl: "/contact/" });
    expect(await change("Your email address")).toEqual([]);
    for (const to of ["Your password", "Your e-mail address now", "Your e-mail @ddress"])
      expect(await change(to)).not.toEqual([]);
    expect(
      await problems(contact('<label for="n">Your e-mail', '<label for="m">Your email'), {
        pageUrl: "/contact/",
      }),
    ).not.toEqual([]);
  } finally {
    live["contact/index.html"] = before;
    await writeSite(join(folder.path, "live"), live as SiteFiles);
  }
});

test.each([
  ["deep", "<div>".repeat(3000)],
  ["many", "<p>x</p>".repeat(40_000)],
  ["large", `<p>${"x".repeat(3_000_000)}</p>`],
  ["misnested", "<b><i><u><s><a>".repeat(60)],
])(
  "abuse 139: a page that is too much to compare is looked at by a person: %s",
  async (_, markup) => {
    expect(await problems(about("</section>", `${markup}</section>`))).not.toEqual([]);
  },
);
