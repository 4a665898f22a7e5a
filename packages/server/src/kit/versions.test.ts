import { expect, test } from "vitest";
import { compareVersions, isVersion, newestRelease } from "./versions.ts";

test("orders versions as semantic versions do", () => {
  const ordered = [
    "0.1.0-alpha",
    "0.1.0-alpha.1",
    "0.1.0-alpha.beta",
    "0.1.0-beta.2",
    "0.1.0-beta.11",
    "0.1.0",
    "0.2.0",
    "0.10.0",
    "1.0.0",
  ];
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
  expect(compareVersions("1.2.3", "1.2.3")).toBe(0);
  expect(compareVersions("latest", "0.0.1")).toBeLessThan(0);
});

test("takes the newest release and no text that isn't a version", () => {
  expect(newestRelease(["0.1.0", "0.10.0", "0.9.0", "1.0.0-next.1", "../2.0.0"])).toBe("0.10.0");
  expect(newestRelease([])).toBeNull();
  for (const text of ["1.0", "v1.0.0", "1.0.0/..", "1.0.0-../x", "", "1.0.0\n"]) {
    expect(isVersion(text)).toBe(false);
  }
});
