import { beforeAll, expect, test } from "vitest";
import { templateDir } from "../../platform/paths.ts";
import { applySetup, type ContentFiles } from "./apply-setup.ts";
import { readContentFiles } from "./content-files.ts";
import type { SetupInput } from "./site-texts.ts";
import { writtenTexts } from "./written-texts.ts";

let shipped: ContentFiles;

beforeAll(async () => {
  shipped = await readContentFiles(templateDir);
});

const ada: SetupInput = {
  name: "Ada Byron",
  role: "Analytikerin",
  place: "Wien",
  email: "ada@example.org",
  portrait: null,
  about: "Ich schreibe Programme.\n\nAbends spiele ich Harfe.",
  services: [{ name: "Beratung", text: "Zu jedem Papier.", price: "20 €" }],
};

const textsOf = (file: string, texts: ReturnType<typeof writtenTexts>) =>
  texts.filter((one) => one.file === `app/src/content/${file}.json`).map(({ text }) => text);

test("the texts of the setup are those that the owner hasn't written", () => {
  const texts = writtenTexts({ present: shipped, shipped, before: null, input: ada });
  expect(textsOf("home", texts)).toEqual([
    "See the work",
    "Get in touch",
    "Write me an email, or use the form.",
    "Contact",
  ]);
  expect(textsOf("contact", texts)).toEqual(
    expect.arrayContaining(["Your name", "Send message", "Get in touch with Ada Byron."]),
  );
  expect(textsOf("services", texts)).toContain("Ask about this");
  expect(textsOf("site", texts)).toEqual([]);
  const all = texts.map(({ text }) => text).join("\n");
  expect(all).not.toMatch(/Analytikerin$|Harfe|Beratung|20 €|example\.org|Mara|Gothenburg/m);
  const nameless = writtenTexts({ present: shipped, shipped, before: null, input: {} });
  expect(textsOf("site", nameless)).toEqual(["Portfolio"]);
});

test("a text that the owner has changed since isn't one of the setup's", () => {
  const present: Record<string, string> = { ...shipped };
  const changed = applySetup({ present: shipped, shipped, before: null, input: ada });
  for (const [file, text] of Object.entries(changed)) if (text !== null) present[file] = text;
  const home = "app/src/content/home.json";
  const own = JSON.parse(present[home] ?? "") as { contact: { heading: string } };
  own.contact.heading = "Schreiben Sie mir";
  present[home] = JSON.stringify(own);
  const texts = writtenTexts({ present, shipped, before: ada, input: ada });
  expect(textsOf("home", texts)).toEqual(["See the work", "Get in touch"]);
  expect(textsOf("contact", texts)).toContain("Send message");
});
