import { matchesGlob } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { matchesPath } from "./match-path.ts";

test.each([
  ["app/src/pages/index.astro", "app/**/*.astro", true],
  ["app/index.astro", "app/**/*.astro", true],
  ["app/src/a/b.css", "app/src/**", true],
  ["app/src/a.css", "**/a.css", true],
  ["a.css", "**/a.css", true],
  ["app/src/a.css", "*.css", false],
  ["app/src/a.css", "app/*/?.css", true],
  ["app/src/ab.css", "app/*/?.css", false],
  ["app/src/pages/[slug].astro", "**/[slug].astro", true],
  ["app/src/pages/s.astro", "**/[slug].astro", false],
])("%s and %s: %s", (path, pattern, fits) => {
  expect(matchesPath(path, pattern)).toBe(fits);
});

test("matches like a shell pattern", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 });
  const part = fc.oneof(
    fc.constant("**"),
    fc.string({ unit: fc.constantFrom("a", "b", "?", "*"), minLength: 1, maxLength: 4 }),
  );
  const joined = (parts: fc.Arbitrary<string>) =>
    fc.array(parts, { minLength: 1, maxLength: 4 }).map((all) => all.join("/"));
  fc.assert(
    fc.property(joined(name), joined(part), (path, pattern) => {
      // Within a name two stars are one; a shell says so in other words for a name of stars alone.
      fc.pre(!/\*\*\*|[^/]\*\*|\*\*[^/]/.test(pattern));
      // A shell's last ** wants a name below the folder.
      fc.pre(!pattern.endsWith("/**"));
      expect(matchesPath(path, pattern)).toBe(matchesGlob(path, pattern));
    }),
    { numRuns: 500 },
  );
});
