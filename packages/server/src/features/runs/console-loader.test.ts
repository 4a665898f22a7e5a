import { expect, test } from "vitest";
import type { ConsoleAssets } from "../admin-auth/console-assets.ts";
import { addConsoleLoader } from "./console-loader.ts";

const built: ConsoleAssets = {
  file: () => undefined,
  entry: (name) => ({ script: `/admin/assets/${name}-abc.js`, imports: [], styles: [], fonts: [] }),
};
const tag = '<script type="module" src="/admin/assets/loader-abc.js"></script>';

test("the loader goes to the end of the body", () => {
  const page = "<html><body><p>A</p></BODY></html>";
  expect(addConsoleLoader(page, built)).toBe(`<html><body><p>A</p>${tag}</BODY></html>`);
});

test("a body that is mentioned earlier is not taken for the end", () => {
  const page = "<html><body><!-- </body> --><p>A</p></body></html>";
  expect(addConsoleLoader(page, built)).toBe(
    `<html><body><!-- </body> --><p>A</p>${tag}</body></html>`,
  );
});

test("letters that grow in lower case do not move the place", () => {
  expect(addConsoleLoader("<body>İİİ</body>", built)).toBe(`<body>İİİ${tag}</body>`);
});

test("a page without a closing tag gets it at its end, and dollar signs stay", () => {
  expect(addConsoleLoader("<p>$& $1", built)).toBe(`<p>$& $1${tag}`);
});

test("where no console is built, the page is as it was", () => {
  const none: ConsoleAssets = { file: () => undefined, entry: () => undefined };
  expect(addConsoleLoader("<p>A", none)).toBe("<p>A");
});
