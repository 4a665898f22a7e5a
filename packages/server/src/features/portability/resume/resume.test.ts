import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { platformRoot } from "../../../platform/paths.ts";
import { readSiteIdentity } from "../import/site-identity.ts";
import {
  importSiteIdentity,
  changelogFile,
  exportResume,
  type SiteIdentityFiles,
  type SiteIdentityRequest,
  resumeFile,
} from "./content-files.ts";
import { readResume, type Resume } from "./json-resume.ts";
import { diagnosePreservedFields } from "./preserved-fields.ts";
import { aboutFile, homeFile, siteFile } from "./page-texts.ts";

const schemaDir = dirname(createRequire(import.meta.url).resolve("@jsonresume/schema/schema.json"));

function read(value: unknown) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const { resume, problems } = readResume("resume.json", Buffer.from(text));
  const reported = problems.map(
    ({ level, field, message }) => `${level} ${field ?? ""} ${message}`,
  );
  return { resume, told: reported };
}

describe("a JSON Resume", () => {
  test("accepts the JSON Resume project's own examples", async () => {
    const examples = (await readdir(join(schemaDir, "examples"))).map((name) => `examples/${name}`);
    for (const name of ["sample.resume.json", ...examples]) {
      const text = await readFile(join(schemaDir, name), "utf8");
      const { resume, told: reported } = read(text);
      expect([name, reported.filter((each) => each.startsWith("error"))]).toEqual([name, []]);
      expect(resume?.basics["name"]).toBeTypeOf("string");
    }
  });

  test("accepts a résumé with any part missing or null", () => {
    expect(read({ basics: { name: "A", email: "", url: null }, work: null }).resume).toEqual({
      basics: { name: "A" },
    });
    expect(read({ work: [{}] }).resume).toEqual({ basics: {}, work: [{}] });
  });

  test("keeps and reports fields that aren't in the schema", () => {
    const { resume, told: reported } = read({
      basics: { name: "A", pronouns: "they" },
      "x-theme": { a: [1] },
    });
    expect(resume).toEqual({ basics: { name: "A", pronouns: "they" }, "x-theme": { a: [1] } });
    expect(reported).toEqual([
      "note /basics/pronouns isn't in the JSON Resume schema, so it's kept as it is",
      "note /x-theme isn't in the JSON Resume schema, so it's kept as it is",
    ]);
  });

  test("reads dates of three precisions, and what people write instead of one", () => {
    const date = (endDate: unknown) => {
      const { resume, told: reported } = read({ basics: { name: "A" }, work: [{ endDate }] });
      return resume === null ? reported[0] : (resume["work"] as { endDate?: string }[])[0]?.endDate;
    };
    expect(["2020", "2020-02", "2020-02-29"].map(date)).toEqual(["2020", "2020-02", "2020-02-29"]);
    expect(["Present", "", "2020-02-03T10:00:00Z"].map(date)).toEqual([
      undefined,
      undefined,
      "2020-02-03",
    ]);
    for (const wrong of ["2020-13", "2021-02-29", "May 2020", "20-02-2020", "x"]) {
      expect(date(wrong)).toContain(`/work/0/endDate "${wrong}" isn't a date`);
    }
  });

  test("reports an invalid address by its JSON pointer", () => {
    const { resume, told: reported } = read({
      basics: {
        name: "A",
        email: "not an address",
        url: "javascript:alert(1)",
        profiles: [{ url: "example.com/me" }, { url: "no address" }],
      },
      "a/b~c": 1,
    });
    expect(resume).toBeNull();
    expect(reported).toEqual([
      `error /basics/email "not an address" isn't an email address`,
      `error /basics/url "javascript:alert(1)" isn't an address that begins with https:// or http://`,
      "note /basics/profiles/0/url has no https://, so it's kept as https://example.com/me",
      `error /basics/profiles/1/url "no address" isn't an address that begins with https:// or http://`,
      "note /a~1b~0c isn't in the JSON Resume schema, so it's kept as it is",
    ]);
  });

  test("understands field names from before 1.0", () => {
    const { resume } = read({ basics: { name: "A", picture: "p" }, work: [{ company: "C" }] });
    expect(resume).toEqual({ basics: { name: "A", image: "p" }, work: [{ name: "C" }] });
  });

  test.each([
    ["", "is empty"],
    ["{", "isn't JSON"],
    ['{"basics":{"name":"A","name":"B"}}', "has the same key twice in an object"],
    ["[]", "must be an object"],
    ["{}", "none of the expected parts"],
    ['{"basics": 4}', "/basics must be an object"],
    ['{"basics": {"name": ["x"]}}', "/basics/name must be text"],
    ['{"work": {"name": "x"}}', "/work must be a list"],
    [`{"basics": ${"[".repeat(50)}${"]".repeat(50)}}`, "too deep"],
    ["x".repeat(1024 * 1024 + 1), "larger than 1 MiB"],
  ])("%.40j is refused", (text, why) => {
    const { resume, told: reported } = read(text);
    expect(resume).toBeNull();
    expect(reported.join()).toContain(why);
  });

  test("treats a part called __proto__ like any other", () => {
    const { resume } = read('{"basics": {"name": "A"}, "__proto__": {"evil": 1}}');
    expect(Object.keys(resume ?? {})).toContain("__proto__");
    expect(Object.prototype).not.toHaveProperty("evil");
  });
});

test("parts of a résumé that the site doesn't show are reported", () => {
  const resume: Resume = {
    basics: {
      phone: "1",
      url: "https://a.example",
      location: { address: "Street", city: "B", region: "C" },
    },
    certificates: [{ name: "C", date: "2022-05" }, { date: "2022-05-01" }, { name: "D" }],
    projects: [
      { name: " Return SHELF" },
      { name: "Arrow type" },
      { name: "night  Ferry" },
      { description: "x" },
    ],
    meta: { version: "1" },
  };
  const names = { visible: ["Return Shelf", "Other"], hidden: ["Night ferry"] };
  const reported = (input: Resume) =>
    diagnosePreservedFields("r.json", input, names).map((each) => [each.level, each.field]);
  expect(reported(resume)).toEqual(
    [
      "/projects",
      "/projects",
      "/basics/location/region",
      "/basics/phone",
      "/basics/location/address",
      "/basics/url",
      "/meta",
      "/certificates/0/date",
    ].map((field) => ["note", field]),
  );
  const [other, hidden] = diagnosePreservedFields("r.json", resume, names);
  expect(other?.message).toContain("Arrow type, an entry without a name aren't case studies here");
  expect(hidden?.message).toContain("night  Ferry is a case study that not everyone can see");
  expect(reported({ basics: { name: "A" }, projects: [{ name: "other" }] })).toEqual([]);
});

test("an import doesn't change the description of the voice, which names nobody", async () => {
  const sample = await readSiteIdentity(join(platformRoot, "packages/template"));
  const { name } = JSON.parse(sample[siteFile] ?? "") as { name: string };
  const brand = join(platformRoot, "packages/template/brand");
  for (const file of await readdir(brand)) {
    const text = await readFile(join(brand, file), "utf8");
    const named = name.split(" ").filter((word) => text.includes(word));
    expect([file, named]).toEqual([file, []]);
  }
});

describe("the site's texts", async () => {
  const sample = await readSiteIdentity(join(platformRoot, "packages/template"));
  const resume: Resume = {
    basics: {
      name: "Ada Byron",
      label: "Analyst",
      email: "ada@example.org",
      summary: "I write programs for engines.\nThere are two of them.\n\nI also ride.",
      location: { city: "London", countryCode: "GB" },
    },
    languages: [{ language: "English" }, { language: "French" }],
  };
  const importResume = (
    own: SiteIdentityFiles,
    next: Resume | null = resume,
    { withoutSamples = false, portrait = null }: Partial<SiteIdentityRequest> = {},
  ) => {
    const change = importSiteIdentity(own, sample, { resume: next, portrait, withoutSamples });
    const after = { ...own, ...change.files };
    const page = (file: string) => JSON.parse(after[file] ?? "") as Record<string, unknown>;
    return { ...change, after, page };
  };
  const withWord = (own: SiteIdentityFiles, file: string, words: object) => ({
    ...own,
    [file]: JSON.stringify({ ...(JSON.parse(own[file] ?? "") as object), ...words }),
  });

  test("need no résumé if none is imported", () => {
    const { [resumeFile]: _, ...without } = sample;
    const broken = { ...sample, [siteFile]: "{", [resumeFile]: "[]" };
    for (const own of [without, broken]) {
      expect(importResume(own, null)).toMatchObject({ files: {}, texts: [], isNew: false });
    }
    expect(() => importResume(without)).toThrow("so a résumé can't be imported");
    expect(() => importResume(broken)).toThrow("a JSON object");
  });

  test("come from the résumé if they are still the sample's", () => {
    const { page, isNew, isOwn, after } = importResume(sample);
    expect([isNew, isOwn]).toEqual([true, false]);
    expect(page(siteFile)).toMatchObject({
      name: "Ada Byron",
      role: "Analyst",
      place: "London, United Kingdom",
      email: "ada@example.org",
      nav: expect.any(Array) as unknown,
    });
    expect(page(homeFile)).toMatchObject({
      title: "Ada Byron, Analyst",
      eyebrow: "Analyst · London, United Kingdom",
      heading: "I write programs for engines.",
      lead: "There are two of them. I also ride.",
    });
    expect(page(aboutFile)).toMatchObject({
      heading: "Ada Byron",
      story: ["I write programs for engines. There are two of them.", "I also ride."],
      facts: [
        { label: "Based in", value: "London, United Kingdom" },
        { label: "Languages", value: "English, French" },
      ],
    });
    expect(page(resumeFile)["resume"]).toEqual(resume);
    expect(String(page(resumeFile)["description"])).toContain("Ada Byron, Analyst");
    expect(page(resumeFile)["labels"]).toEqual(
      (JSON.parse(sample[resumeFile] ?? "") as Record<string, unknown>)["labels"],
    );
    // Nobody is called as the sample's person is any more, but in the entries of the changelog.
    const { [changelogFile]: _, ...pages } = after;
    expect(Object.keys(pages).filter((file) => pages[file]?.includes("Lindqvist"))).toEqual([]);
  });

  test("are reported if a résumé can't contain them, and stay if it doesn't", () => {
    const { unchangedTexts: left, page } = importResume(sample);
    const { unchangedTexts: more, texts } = importResume(sample, { basics: { name: "Ada" } });
    expect(Object.fromEntries(left.map(({ page: at, fields }) => [at, fields]))).toMatchObject({
      "/": ["contact"],
      "/about/": ["portrait", "principles"],
      "/services/": ["lead", "services", "not"],
    });
    for (const { fields, file } of left) {
      expect(fields.filter((field) => page(file)[field] === undefined)).toEqual([]);
    }
    expect(more[0]).toMatchObject({ page: "every page", fields: ["role", "place", "email"] });
    expect(texts.filter(({ file }) => file === homeFile).map(({ field }) => field)).toEqual([
      "title",
      "description",
    ]);
  });

  test("stay if the owner has changed them, and importing again changes nothing", () => {
    const mine = withWord(sample, homeFile, { heading: "Mine", contact: {} });
    const { page, unchangedTexts: left, after } = importResume(mine);
    expect(page(homeFile)).toMatchObject({
      heading: "Mine",
      eyebrow: "Analyst · London, United Kingdom",
    });
    expect(left.some(({ file }) => file === homeFile)).toBe(false);
    const again = importResume(after);
    expect([again.isNew, again.isOwn, again.files, again.texts]).toEqual([false, true, {}, []]);
    const { $schema: _, ...input } = exportResume(after);
    expect(input).toEqual(resume);
  });

  test("follow the next résumé if they come from the previous one", () => {
    const { after } = importResume(sample);
    const mine = withWord(after, siteFile, { role: "Countess" });
    const next = { basics: { name: "Ada King", label: "Poet", summary: "I count." } };
    const { page } = importResume(mine, next);
    expect(page(siteFile)).toMatchObject({ name: "Ada King", role: "Countess" });
    expect(page(homeFile)).toMatchObject({ heading: "I count.", lead: "" });
    expect(String(page(resumeFile)["description"])).toContain("Ada King, Poet");
  });

  test("are removed together with the sample's changelog only on request and if unchanged", () => {
    expect(importResume(sample, null).files).toEqual({});
    expect(importResume(sample, null, { withoutSamples: true }).files).toEqual({
      [changelogFile]: "[]\n",
    });
    expect(
      importResume({ ...sample, [changelogFile]: "[ ]" }, null, { withoutSamples: true }).files,
    ).toEqual({});
  });
});
