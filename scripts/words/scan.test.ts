import { expect, test } from "vitest";
import { rules } from "./list.ts";
import { scanFile, wordsOfName } from "./scan.ts";

const list = [
  { names: ["film"], instead: "video", because: "one word for one thing", except: ["filmGrain"] },
  { names: ["came back"], instead: "what it does", because: "a sentence is no name" },
  { texts: /\bmend(?:s|ed)?\b/i, instead: "fix", because: "nobody says it" },
];
const found = (path: string, source: string) =>
  scanFile(path, source, list).map(({ line, text }) => `${line} ${text}`);

test.each([
  ["maxUploadBytes", "max upload bytes"],
  ["toHTMLText", "to html text"],
  ["came-back.test.ts", "came back test ts"],
  ["MAX_FILM", "max film"],
])("the words of %s", (name, words) => {
  expect(wordsOfName(name).join(" ")).toBe(words);
});

test("a word is found in names of files, identifiers and texts, once each", () => {
  expect(found("src/film-store.ts", "")).toEqual(["0 film-store.ts"]);
  expect(found("src/a.ts", "const oneFilm = 1;\nlet x = oneFilm;")).toEqual(["1 oneFilm"]);
  expect(found("src/a.ts", "export interface A {\n  films: 1;\n  film: 2;\n}")).toEqual([
    "2 films",
    "3 film",
  ]);
  expect(found("src/came-back.sql", "")).toEqual(["0 came-back.sql"]);
  expect(found("src/a.ts", "f('To be mended.', `${a} mends`);")).toEqual([
    "1 To be mended.",
    "1 mends",
  ]);
  expect(found("src/a.tsx", "const a = <p>Mend it</p>;")).toEqual(["1 Mend it"]);
});

test("comments, module names, exceptions and longer words are not found", () => {
  const source = '// mend the film\nimport "./film.ts";\nconst filmGrain = "recommend";';
  expect(found("src/a.ts", source)).toEqual([]);
});

test("every rule of the list says what to write instead, and why", () => {
  for (const { names, texts, instead, because } of rules) {
    expect([names ?? texts, instead, because]).not.toContain("");
    for (const name of names ?? []) expect(wordsOfName(name).join(" ")).toBe(name);
  }
});
