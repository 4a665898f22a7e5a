import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { frameMessages, readElement, readMessage } from "./frame-protocol.ts";
import { scrollPositionFor } from "./scroll-position.ts";

const element = {
  file: "app/src/components/Header.astro",
  line: 12,
  column: 5,
  tag: "h1",
  text: "Work",
  page: "/about/",
};

test.each([
  { kind: "ready", path: "/about/", height: 1200 },
  { kind: "picked", element },
  { kind: "unpicked" },
  { kind: "file", path: "/resume.pdf" },
  { kind: "scrolled", top: 10, height: 2000, view: 800 },
  { kind: "key", key: "Escape" },
  { kind: "key", key: "mod+shift+c" },
  { kind: "text", text: "Hello", key: "1" },
  { kind: "edited", text: "", key: "1" },
])("accepts $kind, and nothing added to it", (message) => {
  expect(readMessage({ ...message, __proto__: null, extra: "x" })).toEqual(message);
});

test.each([
  null,
  "ready",
  [],
  { kind: "publish" },
  { kind: "constructor" },
  { kind: "ready", path: "https://evil.example/", height: 1 },
  { kind: "ready", path: "/", height: Number.NaN },
  { kind: "file", path: "https://evil.example/x.pdf" },
  { kind: "scrolled", top: -1, height: 1, view: 1 },
  { kind: "scrolled", top: "0", height: 1, view: 1 },
  { kind: "key", key: "Enter" },
  { kind: "key", key: "toString" },
  { kind: "key", key: "mod+enter" },
  { kind: "text", text: "x".repeat(10_001), key: "1" },
  { kind: "edited", text: "x", key: "" },
  { kind: "picked", element: { ...element, file: "../../etc/passwd" } },
  { kind: "picked", element: { ...element, file: "app/src/\n.astro" } },
  { kind: "picked", element: { ...element, line: 0 } },
  { kind: "picked", element: { ...element, line: 1.5 } },
  { kind: "picked", element: { ...element, tag: "h1><script" } },
  { kind: "picked", element: { ...element, text: "x".repeat(301) } },
  { kind: "picked", element: { ...element, page: "javascript:alert(1)" } },
])("refuses %j", (message) => {
  expect(readMessage(message)).toBeNull();
});

test("an element is copied with its known fields only", () => {
  expect(readElement({ ...element, instruction: "publish" })).toEqual(element);
});

const listeners = new EventTarget();
beforeEach(() => vi.stubGlobal("window", listeners));
afterEach(() => vi.unstubAllGlobals());

function say(source: object | null, data: unknown): void {
  listeners.dispatchEvent(Object.assign(new Event("message"), { source, data }));
}

test("messages only count from this frame's own window, until the link is closed", () => {
  const posted: unknown[] = [];
  const contentWindow = { postMessage: (message: unknown) => posted.push(message) };
  const iframe = { contentWindow } as unknown as HTMLIFrameElement;
  const heard: string[] = [];
  const link = frameMessages(iframe, { key: ({ key }) => heard.push(key) });
  say(contentWindow, { kind: "key", key: "p" });
  say({}, { kind: "key", key: "d" });
  say(null, { kind: "key", key: "1" });
  say(contentWindow, { kind: "ready", path: "/", height: 1 });
  link.send({ kind: "pick" });
  link.close();
  say(contentWindow, { kind: "key", key: "2" });
  expect([heard, posted]).toEqual([["p"], [{ kind: "pick" }]]);
});

test("no message counts after the frame is gone, not even one without a window", () => {
  const heard: string[] = [];
  const link = frameMessages({ contentWindow: null } as unknown as HTMLIFrameElement, {
    key: ({ key }) => heard.push(key),
  });
  say(null, { kind: "key", key: "p" });
  link.send({ kind: "pick" });
  link.close();
  expect(heard).toEqual([]);
});

test.each([
  [{ top: 300 }, { height: 2000, view: 800 }, 300],
  [{ top: 5000 }, { height: 2000, view: 800 }, 1200],
  [{ top: 600, height: 2000, view: 800 }, { height: 3200, view: 800 }, 1200],
  [{ top: 1200, height: 2000, view: 800 }, { height: 900, view: 800 }, 100],
  [{ top: 0, height: 800, view: 800 }, { height: 3200, view: 800 }, 0],
  [{ top: 100, height: 2000, view: 800 }, { height: 500, view: 800 }, 0],
])("%j of a page is the same relative position in another", (wanted, own, expected) => {
  expect(scrollPositionFor(wanted, own)).toBe(expected);
});
