import { expect, test } from "vitest";

import { splitUrl } from "./Url.tsx";

test.each([
  [
    "https://me.example.com/api/account/oauth/github/callback",
    ["https://", "me", ".example", ".com/", "api/", "account/", "oauth/", "github/", "callback"],
  ],
  [
    "https://login.example/tenant-id/v2.0",
    ["https://", "login", ".example/", "tenant-id/", "v2", ".0"],
  ],
  ["http://localhost:3000/", ["http://", "localhost:3000/"]],
  ["github.com", ["github", ".com"]],
  ["..//", [".", ".//"]],
  ["", []],
])("%s breaks after slashes and before dots, and stays complete", (address, parts) => {
  expect(splitUrl(address)).toEqual(parts);
  expect(parts.join("")).toBe(address);
});
