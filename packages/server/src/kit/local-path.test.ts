import { expect, test } from "vitest";
import { localPath } from "./local-path.ts";

test("a path of this site stays what it is", () => {
  for (const path of ["/", "/account", "/work/a-b/?page=2&q=%C3%A4#top", "/a//b", "/a?next=//b"]) {
    expect(localPath(path)).toBe(path);
  }
  expect(localPath("/work/../account")).toBe("/account");
});

test("abuse 37: nothing that could be another host is a path", () => {
  const strange = [
    ["//evil", "///evil", "/\\evil", "\\\\evil", "/\t/evil", "/\n/evil", "/\r\n/evil"],
    ["https:evil", "https://evil", "https:/evil", "javascript:alert(1)", "evil", ""],
    ["/.//evil", "/..//evil", "/%2e//evil", "/a/..//evil", "/%2e%2e//evil", "/\0/evil"],
    [" //evil", " /account", "/\u0085/evil", "/\ud800", `/${"a".repeat(2000)}`],
  ].flat();
  for (const text of strange) expect([text, localPath(text)]).toEqual([text, null]);
  for (const value of [undefined, null, 1, ["/account"], { path: "/account" }]) {
    expect(localPath(value)).toBeNull();
  }
});
