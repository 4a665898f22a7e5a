import { expect, it } from "vitest";

import { viewOf } from "./filters.ts";

const view = (search: string) => viewOf({ params: new URLSearchParams(search) });

it("shows only the finding in the address, whatever its state", () => {
  expect(view("finding=12")).toMatchObject({ finding: 12, status: "all", filtered: true });
  expect(view("")).toMatchObject({ finding: null, status: "open", filtered: false });
  for (const id of ["0", "-1", "1.5", "x", "2147483648"]) {
    expect(view(`finding=${id}`).finding).toBeNull();
  }
});

it("shows others, too, with a search or filter", () => {
  expect(view("finding=12&q=link")).toMatchObject({ finding: null, status: "open", q: "link" });
  expect(view("finding=12&status=fixed")).toMatchObject({ finding: null, status: "fixed" });
});
