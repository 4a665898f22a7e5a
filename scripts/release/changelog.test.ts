import { expect, test } from "vitest";
import { newEntries, releaseChangelog } from "./changelog.ts";

const ofServer = `# vitrine-server

## 0.2.0

### Minor Changes

- Pages stay up while web restarts.

  They are answered by a process of its own.

### Patch Changes

- A film that is upside down is turned.
- vitrine-qa@0.2.0

## 0.1.0

### Minor Changes

- Something old.
`;

test("the newest entries of a package, without the versions of others", () => {
  expect(newEntries(ofServer)).toEqual([
    "- Pages stay up while web restarts.\n\n  They are answered by a process of its own.",
    "- A film that is upside down is turned.",
  ]);
  expect(newEntries("# vitrine-console\n\n## 0.2.0\n")).toEqual([]);
});

test("become a version of the whole, each once, before what was unreleased", () => {
  const before = "# Changelog\n\n## Unreleased\n\n### Added\n\n- Import.\n";
  const release = { version: "0.2.0", date: "2026-12-01", entries: ["- A.", "- B.", "- A."] };
  expect(releaseChangelog(before, release)).toBe(
    "# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n- A.\n- B.\n\n### Added\n\n- Import.\n",
  );
  expect(() => releaseChangelog("# Changelog\n", release)).toThrow("Unreleased");
});
