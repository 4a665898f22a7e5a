import { expect, test } from "vitest";

import { badgedTitle, badgeOf, plainTitle } from "./title.ts";

test("a title has only the latest badge, and is restored", () => {
  const changed = badgedTitle("About", badgeOf("building"));
  expect(changed).toBe("● About");
  const ready = badgedTitle(changed, badgeOf("preview_ready"));
  expect(ready).toBe("(Preview ready) About");
  expect(plainTitle(ready)).toBe("About");
  expect(plainTitle("About")).toBe("About");
});
