import { expect, test } from "vitest";
import { contentType, type ManifestFile } from "../artifact/artifact.ts";
import { scriptSources } from "../artifact/script-sources.ts";
import { fileHeaders } from "./site-policy.ts";

function headersOf(path: string, html?: string): Record<string, string> {
  const entry: ManifestFile = {
    file: path,
    hash: "",
    bytes: 1,
    type: contentType(path),
    encodings: {},
  };
  if (html !== undefined) entry.scripts = scriptSources(html);
  return fileHeaders(`/${path}`, entry);
}

test("only a page that is marked may run WebAssembly, and none may evaluate text", () => {
  const marked = headersOf("search/index.html", '<div data-search data-allow="wasm"></div>');
  expect(marked["content-security-policy"]).toContain("script-src 'self' 'wasm-unsafe-eval';");
  for (const html of ["<p>x", '<p>&lt;div data-allow="wasm">', '<p title="data-allow=wasm">']) {
    const policy = headersOf("index.html", html)["content-security-policy"];
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain("eval");
  }
});

test("share images and parts of the search index never change at their address, what else is called alike may", () => {
  const cacheOf = (path: string) => headersOf(path)["cache-control"];
  expect(cacheOf(`og/${"0a".repeat(16)}.png`)).toContain("immutable");
  expect(cacheOf(`pagefind/${"0a".repeat(16)}/pagefind-entry.json`)).toContain("immutable");
  for (const path of ["og/logo.png", "pagefind/pagefind.js"]) {
    expect(cacheOf(path)).toBe("public, max-age=0, must-revalidate");
  }
});
