import { expect, test } from "vitest";
import { hashImportedCode } from "./imported-code.ts";

const page = "app/src/pages/a.ts";
const site = {
  [page]: 'import { b } from "../lib/b.ts";\nexport const load = () => import("../lib/late.js");',
  "app/src/lib/b.ts": "import css from '/src/styles/c.css?raw';\nexport { x } from \"./more\";",
  "app/src/lib/more/index.ts": "export const x = 1;",
  "app/src/lib/late.ts": "export {};",
  "app/src/styles/c.css": "a {}",
  "app/src/lib/other.ts": "export {};",
};

function hashOf(files: Record<string, string>): string | null {
  return hashImportedCode(page, new Map(Object.entries(files)), new Map(Object.entries(files)));
}

test.each(Object.keys(site))("what stands for code changes with %s if that is imported", (path) => {
  const files: Record<string, string> = site;
  const edited = hashOf({ ...files, [path]: `${files[path]}\n/* edited */` });
  expect(hashOf(site)).toMatch(/^[0-9a-f]{64}$/);
  expect(edited === hashOf(site)).toBe(path === "app/src/lib/other.ts");
});

test.each([
  ["files by a pattern", { [page]: 'const all = import.meta.glob("../lib/*.ts");' }],
  ["a computed name", { [page]: "const found = await import(name);" }],
  ["a name with a value", { [page]: "const found = await import(`../lib/${name}.ts`);" }],
  ["an alias", { [page]: 'import { b } from "~/lib/b.ts";' }],
  [
    "a configured alias",
    { "app/tsconfig.json": '{ "compilerOptions": { "paths": { "lib/*": ["./src/lib/*"] } } }' },
  ],
])("what imports %s depends on more than can be told", (_, files) => {
  expect(hashOf({ ...site, ...files })).toBeNull();
});

test("without the page, nothing can be told", () => {
  const { [page]: _, ...rest } = site;
  expect(hashOf(rest)).toBeNull();
});
