import { expect, test } from "vitest";

import { isApple } from "./key-names.ts";
import { chordOf } from "./useKeys.ts";

test.each([
  [{ platform: "MacIntel" }, true],
  [{ platform: "MacIntel", userAgentData: { platform: "macOS" } }, true],
  [{ platform: "iPhone" }, true],
  [{ platform: "iPad" }, true],
  [{ platform: "", userAgentData: { platform: "" } }, false],
  [{ platform: "Linux armv81", userAgentData: { platform: "Android" } }, false],
  [{ platform: "Win32", userAgentData: { platform: "Windows" } }, false],
  [{ platform: "Linux x86_64" }, false],
  [{}, false],
])("%j is an Apple device: %s", (system, apple) => {
  expect(isApple(system)).toBe(apple);
});

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

test("⌘ is the command key on Apple keyboards, where Ctrl+K is for editing", () => {
  expect(chordOf({ ...none, key: "k", metaKey: true }, true)).toBe("mod+k");
  expect(chordOf({ ...none, key: "C", metaKey: true, shiftKey: true }, true)).toBe("mod+shift+c");
  expect(chordOf({ ...none, key: "k", ctrlKey: true }, true)).toBeNull();
  expect(chordOf({ ...none, key: "k", ctrlKey: true, metaKey: true }, true)).toBeNull();
});

test("Ctrl is the command key elsewhere, the Windows key and AltGr aren't", () => {
  expect(chordOf({ ...none, key: "k", ctrlKey: true }, false)).toBe("mod+k");
  expect(chordOf({ ...none, key: "K", ctrlKey: true, shiftKey: true }, false)).toBe("mod+shift+k");
  expect(chordOf({ ...none, key: "k", metaKey: true }, false)).toBeNull();
  expect(chordOf({ ...none, key: "k", ctrlKey: true, altKey: true }, false)).toBeNull();
  expect(chordOf({ ...none, key: "k" }, false)).toBeNull();
});
