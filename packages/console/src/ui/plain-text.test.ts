import { expect, test } from "vitest";

import { plainText } from "./plain-text.ts";

test("abuse 69: terminal escapes and control characters are removed from streamed text", () => {
  expect(plainText("\u001b[31merror\u001b[0m in \u001b[1;4mAbout\u001b[22m")).toBe(
    "error in About",
  );
  expect(plainText("\u001b]0;owned\u0007title")).toBe("title");
  expect(plainText("\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\")).toBe("link");
  expect(plainText("\u001b[2J\u001b[Hclear\u0000\u0008")).toBe("clear");
  expect(plainText("\u009b31mred")).toBe("red");
});

test("abuse 69: markup stays text", () => {
  expect(plainText("<img src=x onerror=alert(1)>")).toBe("<img src=x onerror=alert(1)>");
});

test("lines and tabs stay, and carriage returns don't overwrite a line", () => {
  expect(plainText("a\r\nb\tc\rd")).toBe("a\nb\tcd");
});

test("bidirectional characters are escaped", () => {
  expect(plainText("if (a\u202e) {")).toBe("if (a[U+202E]) {");
});

test("anything but text is empty", () => {
  expect(plainText(undefined)).toBe("");
  expect(plainText({ toString: () => "x" })).toBe("");
});
