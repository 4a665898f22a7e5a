import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPdf, readPdfText } from "./pdf.ts";
import { attribute, type Element, readPage, textOf } from "./static-site.ts";
import { nameMark } from "../../packages/server/src/features/release/snapshot.ts";
import { buildTemplate, contentWith, sampleSnapshot } from "./template-site.ts";

/** A résumé with what the schema has beyond the sample's. */
const resume = {
  basics: {
    name: "Ines Okafor",
    phone: "+351 555 000 111",
    location: { address: "Rua Secreta 4", postalCode: "4000-001", city: "Porto" },
    profiles: [
      { network: "GitHub", username: "ines", url: "https://github.example/ines" },
      { network: "LinkedIn", url: "https://www.linkedin.example/in/ines/" },
      { network: "Mastodon", username: "@ines@social.example" },
      { network: "Evil", url: "javascript:alert(1)" },
    ],
  },
  work: [
    { position: "Lead", name: "Quay", description: "Maker of signs", summary: "Ran it." },
    { position: "Designer", name: "Docas", description: "Port authority." },
    { name: "Bracketed", description: "Said so (“it works!”)", summary: "Then left." },
    { url: "https://www.nameless.example/jobs", summary: "Of no name" },
    { summary: "Neither name nor address" },
  ],
  education: [
    { institution: "School", area: "Design", score: "3.8" },
    { institution: "Evening School", score: "First-class honours" },
  ],
  certificates: [
    { name: "Whole day", date: "2023-02-01" },
    { name: "Month", date: "2022-05" },
  ],
  skills: [
    { name: "Lettering", level: "Master", keywords: ["Brush"] },
    { keywords: ["Kerning", "Hinting"] },
  ],
  languages: [{ fluency: "Speaks with her hands" }],
  interests: [{ keywords: ["Tide tables"] }],
  references: [{ name: "Rui Costa", reference: "Nobody asks us for the way." }],
  projects: [
    { name: "return shelf", description: "The record says more." },
    { name: " HIDDEN  Étude", description: "For few", url: "https://few.example/" },
    {
      name: "Arrow type",
      description: "A typeface",
      roles: ["Designer"],
      entity: "Own work",
      keywords: ["Glyphs"],
      highlights: ["In two airports"],
      startDate: "2021-02",
      endDate: "2022",
      url: "https://arrows.example/",
    },
  ],
  meta: { version: "v0.0.1", lastModified: "2020-01-01" },
  "x-theme": { a: 1 },
};

/** What the pages and the file are to say, in the same words. */
const shown = [
  "GitHub: ines",
  "LinkedIn: linkedin.example/in/ines",
  "Mastodon: @ines@social.example",
  "Maker of signs. Ran it.",
  "Port authority.",
  "School · Score 3.8",
  "First-class honours",
  "Lettering (Master)",
  "Kerning, Hinting",
  "Speaks with her hands",
  "Tide tables",
  "Said so (“it works!”) Then left.",
  "nameless.example",
  "Neither name nor address",
  "References",
  "Nobody asks us for the way.",
  "Arrow type",
  "2021 – 2022",
  "Designer, Own work. A typeface. Glyphs",
  "In two airports",
];
const hidden = [
  "555 000",
  "Rua Secreta",
  "4000-001",
  "The record says more",
  "javascript:",
  "For few",
];

/** Sentences that end as other scripts end them, and a place of which the country alone is known. */
const elsewhere = {
  basics: { location: { countryCode: "PT" } },
  work: [
    { name: "海図", description: "海図を作る。", summary: "地図も描く" },
    { name: "標識", description: "「案内します！」", summary: "駅で" },
    { name: "نقش", description: "أين الميناء؟", summary: "هنا" },
    { name: "चिह्न", description: "हम रास्ता दिखाते हैं।", summary: "यहाँ" },
    { name: "Open", description: "(in brackets)", summary: "No end" },
  ],
};

let folder: string;
let site: string;

async function buildWith(name: string, given: object) {
  const texts = { "resume.json": await contentWith("resume.json", { resume: given }) };
  const hiddenNames = [nameMark("Hidden étude"), nameMark("Another")].toSorted();
  return buildTemplate(join(folder, name), { ...(await sampleSnapshot()), hiddenNames }, texts);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-resume-"));
  ({ site } = await buildWith("built", resume));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const oneLine = (text: string) => text.replace(/\s+/g, " ");
const mainOf = (page: Element[]) =>
  oneLine(textOf(page.find((element) => element.tagName === "main")));

test("the page and the PDF contain everything in the résumé and nothing private", async () => {
  const page = mainOf(await readPage(site, "/resume/index.html"));
  const pages = readPdfText(await readFile(join(site, "resume.pdf")));
  // Its lines break where there is room.
  const closed = (text: string) => text.replace(/\s/g, "");
  const pdf = closed(pages.join(""));
  for (const words of shown) {
    expect([words, page.includes(words)]).toEqual([words, true]);
    expect([words, pdf.includes(closed(words))]).toEqual([words, true]);
  }
  const json = await readFile(join(site, "resume.json"), "utf8");
  for (const words of hidden) {
    const all = [page.includes(words), pdf.includes(closed(words))];
    expect([words, ...all]).toEqual([words, false, false]);
  }
  // As a text in data a script's address leads nowhere.
  expect(hidden.filter((words) => json.includes(words))).toEqual(["javascript:"]);
  // A record is listed once, as the record.
  expect(page.match(/return shelf/gi)).toHaveLength(1);
  expect((await readPdf(join(site, "resume.pdf"))).links).toContain("https://github.example/ines");
});

test("an entry without a name has no heading, or its host if it has an address", async () => {
  const page = await readPage(site, "/resume/index.html");
  const named = page.filter(({ tagName }) => ["h2", "h3", "a", "dt"].includes(tagName));
  const empty = named.filter(
    (each) => textOf(each).trim() === "" && !attribute(each, "aria-label"),
  );
  expect(empty.map((each) => [each.tagName, each.attrs])).toEqual([]);
  const host = page.find((each) => attribute(each, "href") === "https://www.nameless.example/jobs");
  expect(host && textOf(host)).toBe("nameless.example");
});

test("a sentence ends with its script's punctuation; the most precise known place is shown", async () => {
  const built = await buildWith("elsewhere", elsewhere);
  const page = mainOf(await readPage(built.site, "/resume/index.html"));
  for (const words of [
    "海図を作る。 地図も描く",
    "「案内します！」 駅で",
    "أين الميناء؟ هنا",
    "हम रास्ता दिखाते हैं। यहाँ",
    "(in brackets). No end",
    "· Portugal ·",
  ]) {
    expect([words, page.includes(words)]).toEqual([words, true]);
  }
});

test("profiles are links with rel=me, on the contact page, too, and in structured data", async () => {
  const addresses = ["https://github.example/ines", "https://www.linkedin.example/in/ines/"];
  for (const file of ["/resume/index.html", "/contact/index.html"]) {
    const elements = await readPage(site, file);
    const own = elements.filter((each) => attribute(each, "rel")?.split(" ").includes("me"));
    expect(own.map((each) => attribute(each, "href"))).toEqual(addresses);
    expect(mainOf(elements)).toContain("Mastodon: @ines@social.example");
  }
  const data = (await readPage(site, "/index.html")).filter(
    (each) => attribute(each, "type") === "application/ld+json",
  );
  expect(data.map((each) => JSON.parse(textOf(each)) as object)).toContainEqual(
    expect.objectContaining({ "@type": "Person", sameAs: addresses }),
  );
});

/** The faults by the installed schema, with what version 1.0.0 has stricter than it. */
function faultsByVersion1(value: unknown): string[] {
  const ofSchema = createRequire(createRequire(import.meta.url).resolve("@jsonresume/schema"));
  const { Validator } = ofSchema("jsonschema") as {
    Validator: new () => { validate(value: unknown, schema: object): { errors: unknown[] } };
  };
  const schema = ofSchema("./schema.json") as {
    properties: { certificates: { items: { properties: object } } };
  };
  const strict = structuredClone(schema);
  Object.assign(strict, { additionalProperties: false });
  Object.assign(strict.properties.certificates.items.properties, {
    date: { type: "string", format: "date" },
  });
  return new Validator().validate(value, strict).errors.map(String);
}

test("the JSON Resume is valid against the schema version that it names", async () => {
  const given = JSON.parse(await readFile(join(site, "resume.json"), "utf8"));
  expect(given.$schema).toContain("/v1.0.0/");
  expect(faultsByVersion1(given)).toEqual([]);
  expect(faultsByVersion1({ ...given, other: 1 })).toHaveLength(1);
  expect(given.projects.at(-1)).toEqual(resume.projects.at(-1));
  expect(given.projects.map(({ name }: { name: string }) => name)).not.toContain("return shelf");
  expect(given.references).toEqual(resume.references);
  expect(given.basics).toMatchObject({ url: "https://example.com/", location: { city: "Porto" } });
});
