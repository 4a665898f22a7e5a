import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import {
  SignInError,
  signInErrorCodes,
} from "../../packages/server/src/features/accounts/providers/sign-in-error.ts";
import { errorStatus } from "../../packages/server/src/kit/errors.ts";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { findDocuments, makeSlugger } from "./documents.ts";
import { makeDocsSite } from "./site.ts";

/** Everything that a page has of one attribute. */
function valuesOf(markup: string, ...names: string[]): string[] {
  const found: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node) => {
    if ("attrs" in node) {
      for (const { name, value } of node.attrs) if (names.includes(name)) found.push(value);
    }
    if ("childNodes" in node) node.childNodes.forEach(visit);
  };
  visit(parse(markup));
  return found;
}

const at = makeDocsSite(platformRoot);

test("every link of every document leads somewhere, fragments included", () => {
  const documents = findDocuments(platformRoot);
  expect(documents).toContain("docs/architecture.md");
  const broken: string[] = [];
  const idsOf = new Map<string, Set<string> | null>();
  const idsAt = (address: string) => {
    const { status, body } = at(address);
    const ids = status === 200 ? new Set(valuesOf(String(body), "id")) : null;
    idsOf.set(address, ids);
    return ids;
  };
  for (const path of documents) {
    const base = new URL(`http://localhost/${path}`);
    const { body } = at(base.pathname);
    for (const link of valuesOf(String(body), "href", "src", "srcset")) {
      const url = new URL(link, base);
      if (url.origin !== base.origin) continue;
      const known = idsOf.get(url.pathname);
      const ids = known === undefined ? idsAt(url.pathname) : known;
      const id = decodeURIComponent(url.hash.slice(1));
      if (ids === null || (id !== "" && !ids.has(id))) broken.push(`${path} → ${link}`);
    }
  }
  expect(broken).toEqual([]);
});

test("the site begins with the README and names every document", () => {
  const { body, status } = at("/");
  expect(status).toBe(200);
  const links = valuesOf(String(body), "href");
  for (const path of findDocuments(platformRoot)) expect(links).toContain(`/${path}`);
});

test("search knows every heading by its address", () => {
  const index = JSON.parse(String(at("/search.json").body)) as {
    heading: string;
    address: string;
  }[];
  const heading = index.find((one) => one.address === "/docs/architecture.md#folders");
  expect(heading?.heading).toBe("Folders");
});

test.each(["/package.json", "/docs/../package.json", "/docs/%2e%2e/package.json", "/nowhere.md"])(
  "%s is not there",
  (address) => expect(at(address).status).toBe(404),
);

test("headings are named as on GitHub", () => {
  const slug = makeSlugger();
  expect(["Who may import whom", "`.ci/run`, twice", "A", "A"].map(slug)).toEqual([
    "who-may-import-whom",
    "cirun-twice",
    "a",
    "a-1",
  ]);
});

/** The first cells of the rows of a table that follows a heading. */
function tableAfter(heading: string, columns: number): string[][] {
  const text = readFileSync(join(platformRoot, "docs/errors.md"), "utf8");
  const [, section = ""] = text.split(`\n## ${heading}\n`);
  const rows = (section.split("\n## ", 1)[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, columns + 1)
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
}

test("the table of error codes has every code once, with its status", () => {
  const codes = tableAfter("Codes", 2).map(([code, status]) => [code, Number(status)]);
  expect(codes).toEqual(Object.entries(errorStatus));
  const problems = tableAfter("Sign-in with a provider", 2);
  expect(problems).toEqual(
    signInErrorCodes.map((problem) => [problem, new SignInError(problem).code]),
  );
});
