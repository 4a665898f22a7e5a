import { gzipSync } from "node:zlib";
import sharp from "sharp";
import { afterEach, describe, expect, test } from "vitest";
import { makeBodies } from "./bodies.ts";
import { decodeBody, decodeText } from "./decode.ts";
import { isDue } from "./external-status.ts";
import type { Fetcher } from "./fetcher.ts";
import { makeExternalLinks } from "./external-links.ts";
import { makeHostThrottle, rateLimitOf, retryAfterOf } from "./host-throttle.ts";
import { readImageMetadata } from "./image-metadata.ts";
import { simhashDistance, simhashOf } from "./simhash.ts";
import { sniffType } from "./sniff.ts";
import { judge } from "./verdict.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

describe("the size of an image is read from its first bytes", () => {
  const image = () =>
    sharp({ create: { width: 41, height: 23, channels: 3, background: "teal" } }).withExif({
      IFD0: { Copyright: "nobody" },
      IFD3: { GPSLatitude: "59/1 19/1 0/1", GPSLongitude: "18/1 3/1 0/1" },
    });
  test.each(["png", "jpeg", "webp", "gif", "avif"] as const)("%s", async (format) => {
    const bytes = await image().toFormat(format).toBuffer();
    const type = sniffType(bytes);
    expect(type).toBe(`image/${format}`);
    expect(readImageMetadata(bytes, type)).toMatchObject({ format, width: 41, height: 23 });
  });
  test.each(["png", "jpeg", "webp"] as const)(
    "the place where it was taken is read, too: %s",
    async (format) => {
      const bytes = await image().toFormat(format).toBuffer();
      const { locationTags } = readImageMetadata(bytes, sniffType(bytes)) ?? {};
      expect(locationTags).toEqual(["GPSLatitude", "GPSLongitude"]);
    },
  );
  test("the size of a drawing is read from its size or view box", () => {
    const box = Buffer.from('<?xml version="1.0"?><svg viewBox="0 0 12 9.5"></svg>');
    expect(readImageMetadata(box, sniffType(box))).toMatchObject({ width: 12, height: 9.5 });
    const size = Buffer.from('<svg width="30px" height="20" viewBox="0 0 3 2"/>');
    expect(readImageMetadata(size, sniffType(size))).toMatchObject({ width: 30, height: 20 });
  });
  test("truncated images have no size, wherever they end", async () => {
    const whole = await image().jpeg().toBuffer();
    for (let length = 0; length < 400; length += 7) {
      expect(() => readImageMetadata(whole.subarray(0, length), "image/jpeg")).not.toThrow();
      expect(() => readImageMetadata(whole.subarray(0, length), "image/webp")).not.toThrow();
      expect(() => readImageMetadata(whole.subarray(0, length), "image/png")).not.toThrow();
    }
  });
});

test.each([
  ["<!DOCTYPE html><p>x", "text/html"],
  ["  \n<html>", "text/html"],
  ["<!-- a --><body>", "text/html"],
  ['<?xml version="1.0"?><rss>', "application/xml"],
  ['<?xml version="1.0"?><!-- x --><svg>', "image/svg+xml"],
  ['{"a":1}', "application/json"],
  ["body { color: red }", "text/plain"],
  ["BMW is a maker of cars", "text/plain"],
  ["%PDF-1.7", "application/pdf"],
  ["wOF2abcd", "font/woff2"],
  ["\0\x01\x02\x03zzzz", null],
  ["", null],
])("%j is detected as %s", (text, type) => {
  expect(sniffType(Buffer.from(text, "latin1"))).toBe(type);
});

test("abuse 93: a decompression bomb is decompressed only up to the limit", async () => {
  const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024));
  const found = await decodeBody(bomb, "gzip", 1000, false);
  expect([found.body.length, found.truncated, found.problem]).toEqual([1000, true, null]);
});

test.each([
  ["text/html; charset=iso-8859-1", Buffer.from("caf\u00e9", "latin1"), "caf\u00e9"],
  [
    "text/html",
    Buffer.from('<meta charset="windows-1252">\x93', "latin1"),
    '<meta charset="windows-1252">\u201c',
  ],
  ["text/html", Buffer.from("\ufeffcaf\u00e9"), "caf\u00e9"],
  ["text/html", Buffer.from("\ufeffa", "utf16le"), "a"],
  ["text/plain; charset=none-such", Buffer.from("caf\u00e9"), "caf\u00e9"],
  [undefined, Buffer.from("caf\u00e9"), "caf\u00e9"],
])("text of type %s is decoded with its charset", (type, bytes, text) => {
  expect(decodeText(bytes, type)).toBe(text);
});

test("texts that share most words have similar simhashes, others don't", () => {
  const words = "a page about a bicycle made of wood for rainy towns in the north of europe".split(
    " ",
  );
  const like = [...words, "today"];
  const other = "we could not find what you were looking for please try our start page".split(" ");
  expect(simhashDistance(simhashOf(words), simhashOf(words))).toBe(0);
  expect(simhashDistance(simhashOf(words), simhashOf(like))).toBeLessThan(14);
  expect(simhashDistance(simhashOf(words), simhashOf(other))).toBeGreaterThan(18);
});

test("bodies beyond the memory limit come back from disk unchanged", () => {
  const bodies = makeBodies(10);
  cleanups.push(bodies.close);
  bodies.put("a", Buffer.from("12345678"));
  bodies.put("b", Buffer.from("a longer one"));
  bodies.put("c", Buffer.from("and another"));
  expect(["a", "b", "c", "d"].map((name) => bodies.get(name)?.toString())).toEqual([
    "12345678",
    "a longer one",
    "and another",
    undefined,
  ]);
});

describe("requests of hosts to slow down", () => {
  const now = Date.parse("2026-11-21T10:00:00Z");
  test.each([
    ["120", 120_000],
    ["Sat, 21 Nov 2026 10:01:00 GMT", 60_000],
    ["Sat, 21 Nov 2020 10:01:00 GMT", 0],
    ["soon", null],
  ])("Retry-After: %s", (value, ms) => expect(retryAfterOf(value, now)).toBe(ms));
  test.each([
    [{ ratelimit: "limit=10, remaining=0, reset=5" }, 5000],
    [{ ratelimit: '"default";r=0;t=7' }, 7000],
    [{ ratelimit: '"default";r=3;t=7' }, 0],
    [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9" }, 9000],
    [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + 4) }, 4000],
    [{ "x-ratelimit-remaining": "1", "x-ratelimit-reset": "9" }, 0],
    [{}, 0],
  ] as [Record<string, string>, number][])("%j", (headers, ms) => {
    expect(rateLimitOf(headers, now)).toBe(ms);
  });
  test("concurrent requests are limited, and there are none while the host asks for a pause", async () => {
    const throttle = makeHostThrottle(2, () => 1000, new AbortController().signal);
    expect(await Promise.all([throttle.enter(), throttle.enter()])).toEqual([null, null]);
    let third = false;
    const waiting = throttle.enter().then((wait) => {
      third = true;
      return wait;
    });
    expect(third).toBe(false);
    throttle.leave();
    expect(await waiting).toBe(null);
    throttle.pause(60_000);
    throttle.leave();
    expect(await throttle.enter()).toBeGreaterThan(59_000);
  });
});

test.each([
  [404, { "cf-mitigated": "challenge" }, "", "unknown"],
  [200, {}, "<title>Attention Required! | Cloudflare</title>", "unknown"],
  [200, {}, "<title>My page on captchas and me</title>", "ok"],
  [200, {}, '<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>', "ok"],
  [202, { "x-amzn-waf-action": "challenge" }, "", "unknown"],
  [404, {}, "<title>Not found</title>", "broken"],
] as [number, Record<string, string>, string, string][])(
  "%i with %j and %j is %s",
  (status, headers, start, verdict) => {
    expect(judge(status, headers, start, null).verdict).toBe(verdict);
  },
);

describe("unreachable external hosts", () => {
  const silent = (code: string, phase: "dns" | "connect" = "dns") =>
    ({
      status: null,
      verdict: "broken",
      failure: { phase, code, ms: 1 },
      retryAfterMs: null,
    }) as const;
  const there = { status: 200, verdict: "ok", failure: null, retryAfterMs: null } as const;

  async function probeResponses(responses: Readonly<Record<string, object>>) {
    const fetcher = {
      external: async (url: string) => ({ url, finalUrl: url, ...responses[url] }),
    } as unknown as Fetcher;
    const [external, max, onProgress] = ["all", 10, () => {}] as const;
    const now = Date.parse("2026-01-01T00:00:00.000Z");
    const externalLinks = makeExternalLinks({
      fetcher,
      external,
      maxLinks: max,
      onProgress,
      now,
      cached: [],
    });
    for (const url of Object.keys(responses)) externalLinks.enqueue(url);
    await externalLinks.waitForAll(AbortSignal.timeout(1000));
    const { responses: reported, cached: known, unreached } = externalLinks.result(() => []);
    return { told: reported.size, unreached, due: known.filter((one) => isDue(one, now)).length };
  }
  const [a, b] = ["https://a.example/", "https://b.example/"];

  test.each([
    ["one alone", { [a]: silent("EAI_AGAIN") }],
    ["all of them", { [a]: silent("EAI_AGAIN"), [b]: silent("ETIMEDOUT", "connect") }],
  ])("prove nothing: %s", async (_, responses) => {
    const all = Object.keys(responses).length;
    // They are asked anew in the next run.
    expect(await probeResponses(responses)).toEqual({ told: 0, unreached: all, due: all });
  });
  test.each([
    ["another was", { [a]: silent("EAI_AGAIN"), [b]: there }],
    ["a name server says that there is no such host", { [a]: silent("ENOTFOUND") }],
    ["the machine is there", { [a]: silent("ECONNREFUSED", "connect") }],
  ])("are reported: %s", async (_, responses) => {
    const all = Object.keys(responses).length;
    expect(await probeResponses(responses)).toMatchObject({ told: all, unreached: 0 });
  });
});
