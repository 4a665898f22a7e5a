import { beforeAll, expect, test } from "vitest";
import { templateDir } from "../../platform/paths.ts";
import { applySetup, type ContentFiles, sampleFiles } from "./apply-setup.ts";
import { readContentFiles, readShippedProjects } from "./content-files.ts";
import { samplePhrases } from "./sample-phrases.ts";
import type { SetupInput } from "./site-texts.ts";

let shipped: ContentFiles;

beforeAll(async () => {
  shipped = await readContentFiles(templateDir);
});

const ada: SetupInput = {
  name: "Ada Byron",
  role: "Analyst",
  place: "London",
  email: "ada@example.org",
  portrait: {
    src: "/media/2026/ada.webp",
    alt: "Ada at a desk.",
    width: 1200,
    height: 1600,
    variants: [{ src: "/media/2026/ada-480.webp", width: 480, bytes: 9 }],
  },
  about:
    "I write programs for engines that nobody has built. Yet.\n\nIn the evening I play the harp.",
  services: [{ name: "Notes", text: "On any paper of yours.", price: "£20" }],
  theme: "moss",
  accent: "ochre",
};

/** The content after a setup, the files that go left out. */
function after(input: SetupInput, present = shipped, before: SetupInput | null = null) {
  const files: Record<string, string> = { ...present };
  for (const [path, text] of Object.entries(applySetup({ present, shipped, before, input }))) {
    if (text === null) delete files[path];
    else files[path] = text;
  }
  return files;
}

const page = (files: ContentFiles, name: string) =>
  JSON.parse(files[`app/src/content/${name}.json`] ?? "null");

test("the sample's phrases are its own texts, not those of every site", async () => {
  const phrases = samplePhrases(shipped, await readShippedProjects(templateDir));
  for (const text of [
    "Mara Lindqvist",
    "mara@example.com",
    "From €6,500, fixed",
    "Gothenburg, Sweden",
    "Tidewater Ledger",
    "Fjordline Systems",
    "When it’s due, and why",
    "I can start new projects in February 2027.",
  ]) {
    expect(phrases).toContain(text);
  }
  for (const text of [
    "Contact",
    "Projects",
    "See the work",
    "Your name",
    "No trackers, no cookies.",
  ]) {
    expect(phrases).not.toContain(text);
  }
});

test.each([
  ["answers to all", ada],
  ["no answer at all", {}],
  ["a name alone", { name: "Ada Byron" }],
])("with %s, no text of the sample remains in any file", async (_, input) => {
  const files = after(input);
  const text = Object.values(files).join("\n").replaceAll("\\n", "\n");
  const phrases = samplePhrases(shipped, await readShippedProjects(templateDir));
  expect(phrases.filter((phrase) => text.includes(JSON.stringify(phrase)))).toEqual([]);
  expect(text).not.toMatch(/Mara|Lindqvist|Gothenburg|€|February 2027|two working days/);
  expect(sampleFiles(files, shipped)).toEqual([]);
  expect(files["app/public/images/portrait.svg"]).toBeUndefined();
  expect(files["database/changelog.json"]).toBe("[]\n");
});

test("the answers replace the corresponding texts of the site", () => {
  const files = after(ada);
  expect(page(files, "site")).toMatchObject({
    name: "Ada Byron",
    role: "Analyst",
    place: "London",
    email: "ada@example.org",
    look: "moss",
    accent: "ochre",
  });
  expect(page(files, "home")).toMatchObject({
    title: "Ada Byron, Analyst",
    eyebrow: "Analyst · London",
    heading: "Ada Byron",
  });
  expect(page(files, "about")).toMatchObject({
    portrait: {
      src: "/media/2026/ada.webp",
      srcset: "/media/2026/ada-480.webp 480w, /media/2026/ada.webp 1200w",
      alt: "Ada at a desk.",
    },
    story: [
      "I write programs for engines that nobody has built. Yet.",
      "In the evening I play the harp.",
    ],
    principles: [],
  });
  expect(page(files, "services").services).toEqual([
    {
      name: "Notes",
      text: "On any paper of yours.",
      price: "£20",
      points: [],
      href: "/contact/",
      link: "Ask about this",
    },
  ]);
  expect(page(files, "resume").resume).toEqual({
    basics: {
      name: "Ada Byron",
      label: "Analyst",
      email: "ada@example.org",
      summary: "",
      location: { city: "London" },
    },
  });
});

test("unanswered fields are empty instead of the sample's", () => {
  const files = after({ name: "Ada Byron" });
  expect(page(files, "site")).toMatchObject({
    role: "",
    place: "",
    email: "",
    look: "ink",
    accent: "theme",
  });
  expect(page(files, "about")).toMatchObject({ story: [], facts: [], portrait: { src: "" } });
  expect(page(files, "services").services).toEqual([]);
  expect(page(after({}), "site").name).toBe("Portfolio");
});

test("the owner's own texts stay; an answer replaces them", () => {
  const home = JSON.stringify({ ...page(shipped, "home"), heading: "My own claim" });
  const site = JSON.stringify({ ...page(shipped, "site"), name: "Ada B.", place: "Ockham" });
  const present = {
    ...shipped,
    "app/src/content/home.json": home,
    "app/src/content/site.json": site,
    "brand/voice.md": "# Mine\n",
  };
  const files = after({ name: "Ada Byron" }, present);
  expect(page(files, "home").heading).toBe("My own claim");
  expect(page(files, "home").title).toBe("Ada Byron");
  expect(page(files, "site")).toMatchObject({ name: "Ada Byron", place: "Ockham" });
  expect(files["brand/voice.md"]).toBe("# Mine\n");
  // A name that is there already, from an import, need not be answered again.
  expect(page(after({}, present), "home").title).toBe("Ada B.");
});

test("a second setup changes what the first one wrote; repeating it changes nothing", () => {
  const first = after(ada);
  expect(applySetup({ present: first, shipped, before: ada, input: ada })).toEqual({});
  const next = { ...ada, name: "Ada Lovelace", services: [] };
  const second = after(next, first, ada);
  expect(Object.values(second).join("\n")).not.toContain("Byron");
  expect(page(second, "home").title).toBe("Ada Lovelace, Analyst");
  expect(page(second, "services").services).toEqual([]);
});

test("a file whose structure the owner has changed stays unchanged", () => {
  const present = { ...shipped, "app/src/content/home.json": "[not JSON" };
  expect(applySetup({ present, shipped, before: null, input: ada })).not.toHaveProperty([
    "app/src/content/home.json",
  ]);
});
