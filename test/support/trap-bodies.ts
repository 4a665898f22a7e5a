import { brotliCompressSync, gzipSync } from "node:zlib";
import { flatPng } from "./image-bytes.ts";
import {
  type Trap,
  pageOf,
  sends,
  page,
  writes,
  hangs,
  resets,
  firstThen,
  goesOn,
  ok,
  broken,
  unknown,
  one,
} from "./trap-responses.ts";

// The server of these lines knows nothing of the answers that are written past it.
const head200 = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";

export function linesTraps(): Trap[] {
  const anyhow = /./;
  const chunk = "5\r\nabcde\r\n";
  return [
    one("reset each time", "/l/reset", resets, {
      ...broken,
      phase: "headers",
      code: anyhow,
      attempts: 3,
    }),
    one("reset once", "/l/reset-once", firstThen(resets, page("Here")), { ...ok, attempts: 2 }),
    one("500 once", "/l/500-once", firstThen(sends(500), page("Here")), { ...ok, attempts: 2 }),
    one(
      "503 with Retry-After",
      "/l/503",
      firstThen(sends(503, { "retry-after": "0.2" }), page("Here")),
      { ...ok, attempts: 2 },
    ),
    one("no answer", "/l/hangs", hangs, {
      ...broken,
      status: null,
      phase: "headers",
      code: "ETIMEDOUT",
    }),
    one("headers drop by drop", "/l/drip", goesOn(head200, "x-a: b\r\n", 100), {
      ...broken,
      phase: "headers",
      code: "ETIMEDOUT",
    }),
    one(
      "body drop by drop",
      "/l/slow",
      goesOn(`${head200}Content-Length: 9999\r\n\r\n`, "a", 100),
      { ...broken, status: 200, phase: "body", code: "ETIMEDOUT" },
    ),
    one(
      "chunks without end",
      "/l/chunks",
      goesOn(`${head200}Transfer-Encoding: chunked\r\n\r\n`, chunk, 100),
      { ...broken, phase: "body" },
    ),
    one(
      "chunks that stop",
      "/l/stops",
      writes(`${head200}Transfer-Encoding: chunked\r\n\r\n${chunk}`, false),
      { ...broken, phase: "body" },
    ),
    one(
      "chunk of nonsense",
      "/l/nonsense",
      writes(`${head200}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
      { ...broken, code: anyhow },
    ),
    one(
      "endless page",
      "/l/endless",
      goesOn(`${head200}\r\n`, `<p>${"on and on ".repeat(5000)}`, 5),
      {
        ...ok,
        truncated: true,
      },
    ),
    one("ends before its length", "/l/short", writes(`${head200}Content-Length: 500\r\n\r\nabc`), {
      ...broken,
      phase: "body",
      code: anyhow,
    }),
    one(
      "goes on beyond its length",
      "/l/long",
      writes(`${head200}Content-Length: 3\r\n\r\nabcdef`),
      ok,
    ),
    one("no HTTP at all", "/l/garbage", writes("SSH-2.0-OpenSSH_9.2\r\n"), {
      ...broken,
      phase: "headers",
      code: anyhow,
    }),
    one(
      "HTTP/1.0 until it closes",
      "/l/1.0",
      writes("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x"),
      ok,
    ),
    one("closes without a word", "/l/closes", writes(""), {
      ...broken,
      phase: "headers",
      code: anyhow,
    }),
    one(
      "hints before the answer",
      "/l/103",
      writes(
        `HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload\r\n\r\n${head200}Content-Length: 1\r\n\r\na`,
        false,
      ),
      { ...ok, status: 200 },
    ),
    one(
      "switches protocols unasked",
      "/l/101",
      writes("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
      { ...broken, code: anyhow },
    ),
    one(
      "a header too large",
      "/l/header",
      writes(`${head200}X-Large: ${"x".repeat(400_000)}\r\n\r\n`),
      { ...broken, phase: "headers", code: /OVERFLOW/ },
    ),
    one(
      "many cookies",
      "/l/cookies",
      writes(
        `${head200}${"Set-Cookie: a=b; Domain=com; Path=/\r\n".repeat(300)}Content-Length: 0\r\n\r\n`,
        false,
      ),
      ok,
    ),
  ];
}

export function bodiesTraps(): Trap[] {
  const bomb = gzipSync(Buffer.alloc(60 * 1024 * 1024, "a"));
  const packed = gzipSync(pageOf("Packed"));
  const png = flatPng(40, 30);
  const type = (value: string) => ({ "content-type": value });
  return [
    one("abuse 93: a bomb in gzip", "/b/bomb", sends(200, { "content-encoding": "gzip" }, bomb), {
      ...ok,
      truncated: true,
    }),
    one("packed", "/b/gzip", sends(200, { "content-encoding": "gzip" }, packed), {
      ...ok,
      sniffed: "text/html",
    }),
    one(
      "packed, broken",
      "/b/broken",
      sends(200, { "content-encoding": "gzip" }, Buffer.from("no gzip")),
      { ...broken, phase: "body" },
    ),
    one(
      "packed, breaks off",
      "/b/cut",
      sends(200, { "content-encoding": "gzip" }, packed.subarray(0, 40)),
      { ...broken, phase: "body" },
    ),
    one(
      "packed in a way nobody asked for",
      "/b/br",
      sends(200, { "content-encoding": "br" }, brotliCompressSync(pageOf("Br"))),
      { ...ok, sniffed: "text/html" },
    ),
    one(
      "packed in a way nobody knows",
      "/b/unknown",
      sends(200, { "content-encoding": "zz" }, "zz"),
      { ...unknown, phase: "body" },
    ),
    one("zero bytes", "/b/empty", sends(200), { ...ok, sniffed: null }),
    one(
      "no type",
      "/b/untyped",
      writes(
        `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 22\r\n\r\n<!doctype html><p>Hi</p>`.slice(
          0,
          -2,
        ),
        false,
      ),
      { ...ok, sniffed: "text/html" },
    ),
    one(
      "a wall on the site itself",
      "/b/wall",
      sends(200, { "cf-mitigated": "challenge" }, "<title>Just a moment...</title>"),
      unknown,
    ),
    one(
      "a page larger than is read into",
      "/b/huge",
      sends(200, {}, pageOf("<b>x</b>".repeat(35_000))),
      ok,
    ),
    one("a page nested too deep", "/b/deep", sends(200, {}, pageOf("<div>".repeat(2000))), ok),
    one(
      "another charset",
      "/b/latin",
      sends(200, type("text/html; charset=iso-8859-1"), Buffer.from(pageOf("caf\u00e9"), "latin1")),
      ok,
    ),
    one(
      "a charset nobody knows",
      "/b/charset",
      sends(200, type("text/html; charset=klingon"), pageOf("x")),
      ok,
    ),
    {
      ...one("HTML as a picture", "/b/html.png", sends(200, type("image/png"), pageOf("x")), {
        ...ok,
        sniffed: "text/html",
      }),
      markup: '<img src="/b/html.png" alt="">',
    },
    {
      ...one("a picture of zero bytes", "/b/zero.png", sends(200, type("image/png")), {
        ...ok,
        sniffed: null,
      }),
      markup: '<img src="/b/zero.png" alt="">',
    },
    {
      ...one("a picture", "/b/real.png", sends(200, type("image/png"), png), {
        ...ok,
        sniffed: "image/png",
      }),
      markup: '<img srcset="/b/real.png 1x, /b/real@2.png 2x" alt="">',
    },
    { ...one("a picture only in srcset, gone", "/b/real@2.png", sends(404), broken), markup: "" },
    {
      ...one("a picture of a style sheet, gone", "/b/in-css.png", sends(404), broken),
      markup: '<link rel="stylesheet" href="/b/sheet.css">',
      serve: {
        "/b/sheet.css": sends(200, type("text/css"), "a{}\np { background: url('in-css.png') }"),
      },
    },
    {
      ...one("an icon of a manifest, gone", "/b/icon.png", sends(404), broken),
      markup: '<link rel="manifest" href="/b/site.webmanifest">',
      serve: {
        "/b/site.webmanifest": sends(
          200,
          type("application/manifest+json"),
          '{"icons":[{"src":"icon.png"}]}',
        ),
      },
    },
  ];
}
