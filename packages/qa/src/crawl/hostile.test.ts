import { parse } from "css-tree";
import { expect, test } from "vitest";
import type { SiteFile } from "../site/files.ts";
import { readPage } from "../page/page.ts";
import { declarationsOf } from "../style/declarations.ts";
import { makeResolver } from "./addresses.ts";
import { referencesOf } from "./references.ts";

const long = 200_000;
const file = {
  path: "index.html",
  hash: "",
  size: 0,
  type: "text/html",
} as unknown as SiteFile;

/**
 * In ms of this process's own work, as others use the machine as well; what grows with the square of
 * the text takes minutes.
 */
function msOf(work: () => void): number {
  const started = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

test("abuse 93: a refresh that consists mostly of spaces is parsed quickly", () => {
  const markup = `<meta http-equiv="refresh" content="${" ".repeat(long)}x">`;
  const page = readPage("/", file, markup);
  const resolver = makeResolver("http://own.test");
  expect(msOf(() => referencesOf(page, "http://own.test/", resolver))).toBeLessThan(3000);
  const plain = readPage("/", file, `<meta http-equiv="refresh" content=" 0 ; url=/next/">`);
  expect(referencesOf(plain, "http://own.test/", resolver)[0]?.key).toBe("http://own.test/next/");
});

test("abuse 93: unclosed comments in styles are parsed quickly", () => {
  const options = { context: "declarationList", parseValue: false } as const;
  const block = parse(`color: red ${"/* ".repeat(long)}`, options);
  expect(msOf(() => declarationsOf(block))).toBeLessThan(3000);
});
