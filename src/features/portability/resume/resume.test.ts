import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { platformRoot } from "../../../platform/paths.ts";
import { readOwn } from "../bring/own.ts";
import { bringResume, giveResume, resumeFile, siteFile } from "./content-files.ts";
import { readResume } from "./json-resume.ts";

const schemaDir = dirname(createRequire(import.meta.url).resolve("@jsonresume/schema/schema.json"));

function read(value: unknown) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const { resume, problems } = readResume("resume.json", Buffer.from(text));
  const told = problems.map(({ level, field, message }) => `${level} ${field ?? ""} ${message}`);
  return { resume, told };
}

describe("a JSON Resume", () => {
  test("the JSON Resume project's own examples are taken", async () => {
    const examples = (await readdir(join(schemaDir, "examples"))).map((name) => `examples/${name}`);
    for (const name of ["sample.resume.json", ...examples]) {
      const text = await readFile(join(schemaDir, name), "utf8");
      const { resume, told } = read(text);
      expect([name, told.filter((each) => each.startsWith("error"))]).toEqual([name, []]);
      expect(resume?.basics["name"]).toBeTypeOf("string");
    }
  });

  test("every part may be missing, and null is nothing", () => {
    expect(read({ basics: { name: "A", email: "", url: null }, work: null }).resume).toEqual({
      basics: { name: "A" },
    });
    expect(read({ work: [{}] }).resume).toEqual({ basics: {}, work: [{}] });
  });

  test("what is not in the schema is kept and named", () => {
    const { resume, told } = read({
      basics: { name: "A", pronouns: "they" },
      "x-theme": { a: [1] },
    });
    expect(resume).toEqual({ basics: { name: "A", pronouns: "they" }, "x-theme": { a: [1] } });
    expect(told).toEqual([
      "note /basics/pronouns is not in the JSON Resume schema: kept as it is",
      "note /x-theme is not in the JSON Resume schema: kept as it is",
    ]);
  });

  test("dates of three lengths, and what people write instead of one", () => {
    const date = (endDate: unknown) => {
      const { resume, told } = read({ basics: { name: "A" }, work: [{ endDate }] });
      return resume === null ? told[0] : (resume["work"] as { endDate?: string }[])[0]?.endDate;
    };
    expect(["2020", "2020-02", "2020-02-29"].map(date)).toEqual(["2020", "2020-02", "2020-02-29"]);
    expect(["Present", "", "2020-02-03T10:00:00Z"].map(date)).toEqual([
      undefined,
      undefined,
      "2020-02-03",
    ]);
    for (const wrong of ["2020-13", "2021-02-29", "May 2020", "20-02-2020", "x"]) {
      expect(date(wrong)).toContain("/work/0/endDate is no date");
    }
  });

  test("a bad address is named by its pointer", () => {
    const { resume, told } = read({
      basics: {
        name: "A",
        email: "not an address",
        url: "javascript:alert(1)",
        profiles: [{ url: "example.com/me" }, { url: "no address" }],
      },
      "a/b~c": 1,
    });
    expect(resume).toBeNull();
    expect(told).toEqual([
      "error /basics/email is no e-mail address",
      "error /basics/url is no address that begins with https:// or http://",
      "note /basics/profiles/0/url has no https://: kept as https://example.com/me",
      "error /basics/profiles/1/url is no address that begins with https:// or http://",
      "note /a~1b~0c is not in the JSON Resume schema: kept as it is",
    ]);
  });

  test("names from before 1.0 are understood", () => {
    const { resume } = read({ basics: { name: "A", picture: "p" }, work: [{ company: "C" }] });
    expect(resume).toEqual({ basics: { name: "A", image: "p" }, work: [{ name: "C" }] });
  });

  test.each([
    ["", "is empty"],
    ["{", "is no JSON"],
    ["[]", "must be an object"],
    ["{}", "none of its parts"],
    ['{"basics": 4}', "/basics must be an object"],
    ['{"basics": {"name": ["x"]}}', "/basics/name must be text"],
    ['{"work": {"name": "x"}}', "/work must be a list"],
    [`{"basics": ${"[".repeat(50)}${"]".repeat(50)}}`, "too deep"],
    ["x".repeat(1024 * 1024 + 1), "larger than 1 MiB"],
  ])("%.40j is refused", (text, why) => {
    const { resume, told } = read(text);
    expect(resume).toBeNull();
    expect(told.join()).toContain(why);
  });

  test("a part called __proto__ is a part like others", () => {
    const { resume } = read('{"basics": {"name": "A"}, "__proto__": {"evil": 1}}');
    expect(Object.keys(resume ?? {})).toContain("__proto__");
    expect(Object.prototype).not.toHaveProperty("evil");
  });
});

describe("the site's own words", async () => {
  const sample = await readOwn(join(platformRoot, "template"));
  const resume = {
    basics: {
      name: "Ada Byron",
      label: "Analyst",
      email: "ada@example.org",
      location: { city: "London", countryCode: "GB" },
    },
  };

  test("are the résumé's where they are still the sample's", () => {
    const { files, site, isNew, isOwn } = bringResume(sample, sample, resume);
    expect([isNew, isOwn, site]).toEqual([true, false, ["name", "role", "place", "email"]]);
    expect(JSON.parse(files[siteFile] ?? "")).toMatchObject({
      name: "Ada Byron",
      role: "Analyst",
      place: "London, United Kingdom",
      email: "ada@example.org",
      nav: expect.any(Array) as unknown,
    });
    const page = JSON.parse(files[resumeFile] ?? "") as Record<string, unknown>;
    expect(page["resume"]).toEqual(resume);
    expect(String(page["description"])).toContain("Ada Byron, Analyst");
    expect(page["labels"]).toEqual((JSON.parse(sample.resume) as typeof page)["labels"]);
  });

  test("stay where the owner has changed them, and the same again changes nothing", () => {
    const { files } = bringResume(sample, sample, resume);
    const site = JSON.stringify({ ...JSON.parse(sample.site), name: "Mine" });
    expect(bringResume({ ...sample, site }, sample, resume).site).toEqual([
      "role",
      "place",
      "email",
    ]);
    const own = { resume: files[resumeFile] ?? "", site: files[siteFile] ?? "" };
    const again = bringResume(own, sample, resume);
    expect([again.isNew, again.isOwn, again.files]).toEqual([false, true, {}]);
    const { $schema: _, ...given } = giveResume(own.resume);
    expect(given).toEqual(resume);
  });
});
