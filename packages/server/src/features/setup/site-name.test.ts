import { expect, test } from "vitest";
import { templateDir } from "../../platform/paths.ts";
import { readContentFiles } from "./content-files.ts";
import { renameSite, siteName } from "./site-name.ts";

const site = "app/src/content/site.json";
const about = "app/src/content/about.json";

test("a name is replaced in texts as a whole word, and everything else stays unchanged", () => {
  const files = {
    [site]: `{ "name": "Ink",  "look": "Ink", "nav": [{ "label": "About Ink", "href": "/Ink/" }] }`,
    [about]: `{"Ink": {"story": ["I am Ink.", "Inkwell", "a \\"Ink\\""]}, "n": 1}`,
    "brand/voice.md": "Ink",
  };
  expect(renameSite(files, { former: "Ink", name: "$& Co" })).toEqual({
    [site]: `{ "name": "$& Co",  "look": "Ink", "nav": [{ "label": "About $& Co", "href": "/Ink/" }] }`,
    [about]: `{"Ink": {"story": ["I am $& Co.", "Inkwell", "a \\"$& Co\\""]}, "n": 1}`,
  });
  expect(renameSite(files, { former: "Nobody", name: "X" })).toEqual({});
});

test("the shipped site can be renamed and no longer contains the former name", async () => {
  const files = await readContentFiles(templateDir);
  const former = siteName(files);
  expect(former).toBe("Mara Lindqvist");
  const changed = renameSite(files, { former: former ?? "", name: "Ada Byron" });
  expect(siteName({ ...files, ...changed })).toBe("Ada Byron");
  for (const text of Object.values(changed)) {
    expect(text).not.toContain("Mara Lindqvist");
    expect(() => JSON.parse(text)).not.toThrow();
  }
});

test("a site without a readable name has none", () => {
  expect(siteName({})).toBeNull();
  expect(siteName({ [site]: "{" })).toBeNull();
  expect(siteName({ [site]: '{"name": 3}' })).toBeNull();
});
