import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { siteIn } from "../../../../../../test/support/reviewed-site.ts";
import { tempFolder, type TempFolder } from "../../../../../../test/support/temp.ts";
import type { PrivateText } from "../../../kit/private-text.ts";
import { readManifest } from "../artifact/artifact.ts";
import { compareSites, type PrivateComparison } from "./compare-sites.ts";
import { type ComparisonJob, comparePrivate } from "./comparison.ts";
import { makeMatcher } from "./matcher.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

type Files = Record<string, string | Buffer>;

/** Lays a built site down with its manifest; gives its folder. */
async function site(name: string, files: Files, redirects?: Record<string, string>) {
  const dir = join(folder.path, name);
  for (const [path, data] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), data);
  }
  await mkdir(dir, { recursive: true });
  const { manifest } = await siteIn(dir);
  await writeFile(`${dir}.json`, JSON.stringify({ ...manifest, ...(redirects && { redirects }) }));
  return dir;
}

const secret =
  "The merger with Quillfeather Limited will be announced in Gothenburg on the ninth of October.";
const texts: PrivateText[] = [
  { record: "draft project 1", field: "body", kind: "text", text: secret },
  { record: "draft project 1", field: "name", kind: "name", text: "Zephyrine" },
  { record: "account 2", field: "email", kind: "name", text: "maud.ellery@people.example" },
  {
    record: "contact message 3",
    field: "message",
    kind: "message",
    text: "Call me at +46 31 700 12 34 after six.\nStorgatan 14, 411 24 Gothenburg",
  },
  {
    record: "draft project 4",
    field: "body",
    kind: "text",
    text: "秘密の計画は来年の春に大阪の新しい工場で始まる予定です。",
  },
];

async function* batches(given: readonly PrivateText[]) {
  for (const text of given) yield [text];
}

interface ComparisonInput {
  live?: Files;
  publicTexts?: string[];
  redirects?: Record<string, string>;
  /** Paths of stored media below the site's root. */
  media?: string[];
}

/** Compares sites in this thread: starting one for each would take longer than all the rest. */
async function compare(next: Files, given: ComparisonInput = {}) {
  const matcher = makeMatcher();
  for (const text of texts) matcher.addText(text);
  await site("next", next, given.redirects);
  if (given.live) await site("live", given.live);
  const built = async (name: string) => {
    const dir = join(folder.path, name);
    return { dir, manifest: await readManifest(`${dir}.json`) };
  };
  const live = given.live ? await built("live") : null;
  const { publicTexts = [], media = [] } = given;
  const isStoredMedia = (file: string) => media.includes(file);
  const changed = await built("next");
  return compareSites({
    next: changed,
    live,
    matcher,
    publicTexts: async () => publicTexts,
    isStoredMedia,
    incompleteReason: null,
    onDamaged() {},
  });
}

/** The same in a thread of its own, as a publish does. */
async function compareApart(
  next: Files,
  given: readonly PrivateText[],
  bounds: Pick<ComparisonJob, "maxLetters" | "maxBufferBytes" | "maxCpuMs"> = {},
) {
  const { result } = await comparePrivate({
    ...bounds,
    artifactDir: await site("next", next),
    liveDir: null,
    mediaDir: join(folder.path, "media"),
    privateTexts: batches(given),
    publicTexts: async () => [],
  });
  return result;
}

const where = ({ findings }: PrivateComparison) =>
  findings.map(({ page, record, field }) => `${page} ${record} ${field}`);

/** A PDF as pdfkit writes them: glyph numbers in a font that says what they stand for. */
function pdf(text: string): string {
  const letters = [...new Set(text)];
  const hex = (n: number) => n.toString(16).padStart(4, "0");
  const list = letters.map((letter) => `<${hex(letter.charCodeAt(0))}>`).join(" ");
  const glyphs = [...text].map((letter) => hex(letters.indexOf(letter))).join("");
  return [
    "%PDF-1.7",
    "1 0 obj\n<</Type /Page\n/Resources 2 0 R /Contents 5 0 R>>\nendobj",
    "2 0 obj\n<</Font <</F1 3 0 R>>>>\nendobj",
    "3 0 obj\n<</ToUnicode 4 0 R>>\nendobj",
    `4 0 obj\n<<>>\nstream\nbegincmap\n<0000> <${hex(letters.length)}> [${list}]\nendstream\nendobj`,
    `5 0 obj\n<<>>\nstream\n/F1 12 Tf [<${glyphs}>] TJ\nendstream\nendobj`,
  ].join("\n");
}

/** A PDF of one page as other programs write it: packed, in one of the fonts that every viewer has. */
function packedPdf(content: string, more: { info?: string; trailer?: string } = {}): Buffer {
  const packed = deflateSync(content).toString("latin1");
  const objects = [
    "<</Type /Catalog /Pages 2 0 R>>",
    "<</Type /Pages /Count 1 /Kids [3 0 R]>>",
    "<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources <</Font <</F1 4 0 R>>>> /Contents 5 0 R>>",
    "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>>",
    `<</Filter /FlateDecode /Length ${packed.length}>>\nstream\n${packed}\nendstream`,
    `<<${more.info ?? ""}>>`,
  ].map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`);
  const trailer = `trailer\n<</Size 7 /Root 1 0 R /Info 6 0 R${more.trailer ?? ""}>>\n%%EOF`;
  return Buffer.from(`%PDF-1.7\n${objects.join("")}${trailer}`, "latin1");
}

/** Letters by their one-byte numbers, some by themselves with spaces of their own between. */
const drawn = (text: string) =>
  `BT /F1 12 Tf [${[...text].map((letter) => `<${Buffer.from(letter).toString("hex")}> -20`).join(" ")}] TJ ET`;

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16().toString("hex");
const passwords = `/Encrypt <</Filter /Standard /V 1 /R 2 /P -4 /O <${"41".repeat(32)}> /U <${"42".repeat(32)}>>> /ID [<00> <00>]`;

const entities = [...secret].map((letter) => `&#x${letter.charCodeAt(0).toString(16)};`).join("");
const unicode = [...secret]
  .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
  .join("");

describe("abuse 120: private text in whatever a build makes", () => {
  it.each<[string, Files]>([
    ["text", { "a/index.html": `<p>${secret}</p>` }],
    [
      "another case and other signs",
      { "a/index.html": `<p>${secret.toUpperCase().replaceAll(" ", " — ")}</p>` },
    ],
    [
      "inline elements within words",
      { "a/index.html": secret.replaceAll("er", "<b title='x>y'>e</b>r") },
    ],
    [
      "comments, scripts and styles between words",
      { "a/index.html": secret.replaceAll(" ", "<!-- x --><script>1</script> ") },
    ],
    [
      "soft hyphens and zero-width spaces",
      { "a/index.html": secret.replaceAll("e", "e\u00AD\u200B") },
    ],
    ["character references", { "a/index.html": `<p>${entities}</p>` }],
    [
      "full-width letters",
      {
        "a/index.html": secret.replaceAll(/[a-z]/g, (l) =>
          String.fromCharCode(l.charCodeAt(0) + 0xfee0),
        ),
      },
    ],
    ["an attribute", { "a/index.html": `<img alt="${secret}">` }],
    ["a comment", { "a/index.html": `<!-- ${secret} -->` }],
    ["a script", { "a/index.html": `<script>const x = "${unicode}";</script>` }],
    [
      "JSON",
      { "a.json": JSON.stringify({ html: `<p>${secret.replaceAll(" ", "</p>\n<p>")}</p>` }) },
    ],
    [
      "a feed",
      {
        "rss.xml": `<rss><item>${secret.replaceAll("will", "&lt;i&gt;will&lt;/i&gt;")}</item></rss>`,
      },
    ],
    ["an address", { "a/index.html": `<a href="/?q=${encodeURIComponent(secret)}">x</a>` }],
    [
      "the search index",
      { "pagefind/a.pf_fragment": gzipSync(`pagefind_dcd${JSON.stringify({ content: secret })}`) },
    ],
    ["a PDF", { "a.pdf": Buffer.from(pdf(secret), "latin1") }],
    ["a PDF of another program", { "a.pdf": packedPdf(drawn(secret)) }],
    ["a PDF's description", { "a.pdf": packedPdf("", { info: `/Subject <${utf16(secret)}>` }) }],
    [
      "an image's metadata",
      { "a.png": Buffer.from(`\x89PNG\r\n\x1a\n\0\0tEXt${secret}\0`, "latin1") },
    ],
    ["UTF-16", { "a.txt": Buffer.from(`\ufeff${secret}`, "utf16le") }],
    ["a part of it", { "a.txt": secret.slice(20, 80) }],
  ])("is found in %s", async (_where, files) => {
    const result = await compare(files);
    expect(result.findings).toHaveLength(1);
    expect(result.findings[0]).toMatchObject({ record: "draft project 1", field: "body" });
    expect(result.incomplete).toBeNull();
    expect(JSON.stringify(result)).not.toMatch(/quillfeather/i);
  });

  it("is found in short texts: names, addresses, numbers, postal addresses, other scripts", async () => {
    const result = await compare({
      "name.txt": "We work with zephyrine now.",
      "mail.txt": "<maud.ellery&#64;people.example>",
      "aloud.txt": "maud.ellery at people dot example",
      "phone.txt": "tel:+46-31-7001234",
      "street.txt": "Visit Storgatan 14\n411 24 Gothenburg!",
      "kanji.txt": "新しい計画：秘密の計画は来年の春に大阪の新しい工場で",
    });
    expect(where(result)).toEqual([
      "/aloud.txt account 2 email",
      "/kanji.txt draft project 4 body",
      "/mail.txt account 2 email",
      "/name.txt draft project 1 name",
      "/phone.txt contact message 3 message",
      "/street.txt contact message 3 message",
    ]);
  });

  it("is found in the names of files and in redirects, which are then not named", async () => {
    const files = { "projects/zephyrine/index.html": "<p>x</p>" };
    const result = await compare(files, { redirects: { "/old/": "/zephyrine/" } });
    expect(where(result)).toEqual(
      ["/projects/… draft project 1 name", "/… draft project 1 name"].toSorted(),
    );
    expect(JSON.stringify(result)).not.toContain("zephyrine");
  });
});

describe("what is no leak", () => {
  it("ordinary words and phrases of private texts, parts of words, short passages", async () => {
    const result = await compare({
      "a.txt": "The merger will be announced. Call me after six. Zephyrines! Gothenburg 411 24.",
      "b.txt": "in Gothenburg on the ninth of",
    });
    expect(result).toMatchObject({ findings: [], fingerprint: "", incomplete: null });
  });

  it("what the live site says, also elsewhere and in another form, and what public records say", async () => {
    const files = {
      "a/index.html": `<p>${secret}</p> Zephyrine`,
      "b.txt": "maud.ellery@people.example",
    };
    const live = { "old.json": JSON.stringify({ x: secret }), "c.html": "<b>Zephyrine</b>" };
    const publicTexts = ["Write to maud.ellery@people.example."];
    expect(await compare(files, { live, publicTexts })).toMatchObject({
      findings: [],
      fingerprint: "",
    });
    expect(where(await compare(files, { live }))).toEqual(["/b.txt account 2 email"]);
  });

  it("files that are as they are live, and stored media", async () => {
    const same = { "a.txt": "x", "media/2026/a.svg": secret };
    const given = { live: { "a.txt": "x" }, media: ["media/2026/a.svg"] };
    expect((await compare({ ...same, "b.txt": "y" }, given)).findings).toEqual([]);
  });
});

describe("the fingerprint of what was found", () => {
  const of = async (files: Files) => (await compare(files)).fingerprint;

  it("is told by a thread, and where it breaks the result is incomplete and has one too", async () => {
    const result = await compareApart({ "a.txt": secret }, texts);
    expect(where(result)).toEqual(["/a.txt draft project 1 body"]);
    expect(result.fingerprint).toBe(await of({ "a.txt": secret }));
    await rm(join(folder.path, "next/a.txt"));
    const mediaDir = join(folder.path, "media");
    const job = { artifactDir: join(folder.path, "next"), liveDir: null, mediaDir };
    const failures: unknown[] = [];
    const { result: broken } = await comparePrivate({
      ...job,
      privateTexts: batches(texts),
      publicTexts: async () => [],
      onFailure: (cause) => failures.push(cause),
    });
    expect(broken).toMatchObject({ incomplete: expect.any(String), findings: [] });
    expect(broken.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(failures).toHaveLength(1);
    // Where nothing is private nothing is read.
    const none = { privateTexts: batches([]), publicTexts: async () => [] };
    const { result: empty } = await comparePrivate({ ...job, ...none });
    expect(empty).toMatchObject({ fingerprint: "" });
  });

  it("is the same for the same, and another for other pages, records or words", async () => {
    const one = await of({ "a.txt": secret });
    const others = [
      await of({ "b.txt": secret }),
      await of({ "a.txt": "Zephyrine" }),
      await of({ "a.txt": secret.slice(0, 60) }),
    ];
    expect(new Set([one, ...others]).size).toBe(4);
    await folder.remove();
    folder = await tempFolder();
    expect(await of({ "a.txt": secret })).toBe(one);
  });
});

describe("abuse 168: a build writes among the stored media", () => {
  const files = { "media/notes/index.html": secret, "media/2026/a.webp": secret };

  it("what is not in the store is compared, whatever its name and address", async () => {
    const found = ["/media/2026/a.webp draft project 1 body", "/media/notes/ draft project 1 body"];
    expect(where(await compareApart(files, texts))).toEqual(found);
    await mkdir(join(folder.path, "media/2026"), { recursive: true });
    await writeFile(join(folder.path, "media/2026/a.webp"), secret);
    expect(where(await compareApart(files, texts))).toEqual(found.slice(1));
  });

  it("what visitors can read there already is public", async () => {
    const live = { "media/notes/index.html": secret };
    expect((await compare({ "b.txt": secret }, { live })).total).toBe(0);
  });
});

describe("abuse 169: more private text than can be compared", () => {
  it("is said to be incomplete, with a fingerprint that nothing passes without", async () => {
    const result = await compareApart({ "a.txt": "plain" }, texts, { maxLetters: 80 });
    expect(result).toMatchObject({ total: 0, incomplete: expect.stringContaining("more private") });
    expect(result.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    const enough = await compareApart({ "a.txt": "plain" }, texts, { maxLetters: 1000 });
    expect(enough).toMatchObject({ incomplete: null, fingerprint: "" });
  });
});

describe("abuse 121: texts that are made to hold the comparison up", () => {
  it("costs time in proportion to the site and the texts", async () => {
    const hostile = [
      "<".repeat(8_000),
      "<a =".repeat(4_000),
      "&a".repeat(8_000),
      "%41".repeat(6_000),
      "\\u0041".repeat(4_000),
      "info ".repeat(4_000),
      "a@".repeat(8_000),
      `%PDF-${"1 0 obj stream\n".repeat(1600)}`,
      "+1 ".repeat(4_000),
    ];
    const many = (times: number): PrivateText[] =>
      Array.from({ length: 200 * times }, (_, n) => ({
        record: `account ${n}`,
        field: "email",
        kind: "name",
        text: `info${"x".repeat(n % 60)}@people${n}.example`,
      }));
    const cost = async (times: number) => {
      const files = Object.fromEntries(hostile.map((text, n) => [`${n}.html`, text.repeat(times)]));
      const dir = await site(`site-${times}`, files);
      const before = process.cpuUsage();
      const matcher = makeMatcher();
      for (const text of [
        ...many(times),
        ...hostile.map((reply, n) => words(reply.repeat(times), n)),
      ]) {
        matcher.addText(text);
      }
      const next = await siteIn(dir);
      const isStoredMedia = () => false;
      await compareSites({
        next,
        live: null,
        matcher,
        publicTexts: async () => [],
        isStoredMedia,
        incompleteReason: null,
        onDamaged() {},
      });
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    const words = (reply: string, n: number): PrivateText => {
      return { record: `contact message ${n}`, field: "message", kind: "message", text: reply };
    };
    await cost(1);
    const one = await cost(1);
    // Quadratic work would take 64 times as long.
    expect(await cost(8)).toBeLessThan(Math.max(one, 50) * 32);
  }, 60_000);

  it("a PDF that unpacks to more than memory may hold is said to be incomplete", async () => {
    const bomb = { "a.pdf": packedPdf(" ".repeat(256 * 1024 * 1024)) };
    const result = await compareApart(bomb, texts, { maxBufferBytes: 16 * 1024 * 1024 });
    expect(result).toMatchObject({ findings: [], incomplete: expect.stringContaining("finish") });
  });

  it("a site that takes more processor time than allowed is said to be incomplete", async () => {
    const large = { "a.html": "<p>words &amp; more</p>".repeat(1_000_000) };
    const result = await compareApart(large, texts, { maxCpuMs: 1 });
    expect(result).toMatchObject({ findings: [], incomplete: expect.stringContaining("finish") });
  });

  it("a PDF with a password is said to be incomplete", async () => {
    const result = await compare({ "a.pdf": packedPdf("", { trailer: passwords }) });
    expect(result).toMatchObject({ incomplete: expect.stringContaining("password") });
  });

  it("a PDF that no viewer opens is compared by its bytes", async () => {
    const result = await compare({ "a.pdf": `%PDF-1.7\n(${secret})` });
    expect(result).toMatchObject({ total: 1, incomplete: null });
  });

  it("what can't be unpacked is said to be incomplete", async () => {
    const broken = Buffer.concat([gzipSync("x".repeat(1000)).subarray(0, 15), Buffer.alloc(9)]);
    const result = await compare({ "a.gz": broken });
    expect(result).toMatchObject({ findings: [], incomplete: expect.stringContaining("/a.gz") });
    expect(result.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });
});
