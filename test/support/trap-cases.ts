import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { FailurePhase, Verdict } from "../../src/features/qa/crawl/crawl.ts";
import { flatPng } from "./picture-bytes.ts";

export interface Places {
  own: string;
  ownPort: number;
  out: string;
  outPort: number;
  closed: string;
  good: string;
  expired: string;
  wrong: string;
  unsigned: string;
}

export type Answerer = (request: IncomingMessage, response: ServerResponse, times: number) => void;

export interface Expected {
  /** `none`: not asked at all. */
  verdict: Verdict | "none";
  status?: number | null;
  phase?: FailurePhase;
  code?: string | RegExp;
  hops?: number;
  truncated?: boolean;
  sniffed?: string | null;
  attempts?: number;
}

export interface Trap {
  name: string;
  href: string;
  /** What is asked, where it isn't the address as written. */
  asks?: string;
  /** Instead of a link. */
  markup?: string;
  expected?: Expected;
  /** By path, or by path and query. */
  serve?: Record<string, Answerer>;
}

export const pageOf = (body: string, head = ""): string =>
  `<!doctype html><html lang="en"><head><title>Traps</title>${head}</head><body><main>${body}</main></body></html>`;

export const sends =
  (status: number, headers: Record<string, string> = {}, body: string | Buffer = ""): Answerer =>
  (_request, response) => {
    response
      .writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers })
      .end(body);
  };
export const page = (body: string, head = "") => sends(200, {}, pageOf(body, head));
export const leads = (to: string, status = 302) => sends(status, { location: to });
/** Bytes straight onto the line. */
export const writes =
  (text: string | Buffer, end = true): Answerer =>
  (request) => {
    request.socket.write(text);
    if (end) request.socket.end();
  };
export const hangs: Answerer = () => {};
const resets: Answerer = (request) => request.socket.resetAndDestroy();
/** Another answer the first time. */
export const firstThen =
  (first: Answerer, then: Answerer): Answerer =>
  (request, response, times) =>
    (times === 1 ? first : then)(request, response, times);

/** Writes again and again until nobody listens any more. */
export const goesOn =
  (begin: string, piece: string, everyMs: number): Answerer =>
  (request) => {
    const { socket } = request;
    socket.write(begin);
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.on("close", () => clearInterval(timer));
  };

const chain = (path: string, hops: number): Record<string, Answerer> =>
  Object.fromEntries(
    Array.from({ length: hops }, (_, i) => [
      `${path}${i === 0 ? "" : i}`,
      i === hops - 1 ? page("The end") : leads(`${path}${i + 1}`),
    ]),
  );

const ok = { verdict: "ok" } as const;
const broken = { verdict: "broken" } as const;
const unknown = { verdict: "unknown" } as const;
const none = { verdict: "none" } as const;

/** One path that answers in one way. */
const one = (name: string, path: string, answerer: Answerer, expected: Expected): Trap => ({
  name,
  href: path,
  serve: { [path]: answerer },
  expected,
});

function statuses(): Trap[] {
  const rows: [status: number, expected: Expected][] = [
    [200, ok],
    [204, ok],
    [206, ok],
    [300, ok],
    [304, unknown],
    [305, unknown],
    [400, broken],
    [401, unknown],
    [402, unknown],
    [403, unknown],
    [404, broken],
    [405, unknown],
    [406, broken],
    [407, unknown],
    [408, unknown],
    [410, broken],
    [418, unknown],
    [422, broken],
    [425, unknown],
    [429, unknown],
    [451, unknown],
    [500, { ...broken, attempts: 2 }],
    [501, unknown],
    [502, { ...broken, attempts: 2 }],
    [503, unknown],
    [504, broken],
    [511, unknown],
    [599, broken],
    [777, unknown],
    [999, unknown],
  ];
  return rows.map(([status, expected]) =>
    one(`status ${status}`, `/status/${status}`, sends(status), { status, ...expected }),
  );
}

function redirects({ own, out }: Places): Trap[] {
  const cookieDoor: Answerer = (request, response, times) => {
    if (/door=open/.test(request.headers.cookie ?? "")) page("Inside")(request, response, times);
    else
      sends(302, { location: "/door", "set-cookie": "door=open; Path=/" })(
        request,
        response,
        times,
      );
  };
  return [
    one("redirect without Location", "/r/none", sends(302), { ...broken, status: 302 }),
    one("redirect to nothing", "/r/empty-host", leads("http://"), { ...broken, status: 302 }),
    one("redirect to mail", "/r/mail", leads("mailto:a@b.example"), unknown),
    one("redirect to a script", "/r/script", leads("javascript:alert(1)"), unknown),
    {
      ...one("redirect, relative", "/r/relative", leads("target"), { ...ok, hops: 1 }),
      serve: { "/r/relative": leads("target"), "/r/target": page("Here") },
    },
    {
      ...one("redirect with a space", "/r/space", leads("/r/a b"), { ...ok, hops: 1 }),
      serve: { "/r/space": leads("/r/a b"), "/r/a%20b": page("Here") },
    },
    {
      ...one("redirect in UTF-8", "/r/utf8", hangs, { ...ok, hops: 1 }),
      serve: {
        "/r/utf8": writes(
          Buffer.from(
            "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /r/caf\u00e9\r\nContent-Length: 0\r\n\r\n",
          ),
          false,
        ),
        "/r/caf%C3%A9": page("Here"),
      },
    },
    one("redirect without scheme", "/r/scheme", leads(`${own.slice(5)}/status/200`), {
      ...ok,
      hops: 1,
    }),
    one("redirect with a fragment", "/r/fragment", leads("/status/200#part"), { ...ok, hops: 1 }),
    one("redirect to what is gone", "/r/gone", leads("/status/404"), {
      ...broken,
      status: 404,
      hops: 1,
    }),
    one("redirect to a stranger", "/r/out", leads(`${out}/fine`), { ...ok, hops: 1 }),
    one("redirect to a private address", "/r/private", leads("http://192.168.7.7/"), {
      ...unknown,
      phase: "refused",
    }),
    one("redirect to metadata by a number", "/r/number", leads("http://2852039166/latest"), {
      ...unknown,
      phase: "refused",
    }),
    one("permanent redirect", "/r/308", leads("/status/200", 308), { ...ok, hops: 1 }),
    {
      ...one("redirects in a circle", "/r/a", leads("/r/b"), {
        ...broken,
        phase: "redirect",
        code: "ELOOP",
      }),
      serve: { "/r/a": leads("/r/b"), "/r/b": leads("/r/a") },
    },
    one("redirect to itself", "/r/self", leads("/r/self"), {
      ...broken,
      phase: "redirect",
      code: "ELOOP",
    }),
    one("redirect to itself until its cookie comes back", "/door", cookieDoor, ok),
    {
      name: "ten redirects",
      href: "/ten",
      expected: { ...ok, hops: 10 },
      serve: chain("/ten", 11),
    },
    {
      name: "thirteen redirects",
      href: "/more",
      expected: { ...broken, phase: "redirect", code: "EHOPS" },
      serve: chain("/more", 14),
    },
    {
      name: "meta refresh in a circle",
      href: "/m/a",
      expected: ok,
      serve: {
        "/m/a": page("On", '<meta http-equiv="refresh" content="0; url=/m/b">'),
        "/m/b": page("On", "<meta http-equiv=refresh content=\"0;URL='/m/a'\">"),
      },
    },
  ];
}

// The server of these lines knows nothing of the answers that are written past it.
const head200 = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";

function lines(): Trap[] {
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

function bodies(): Trap[] {
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

function addresses({ own }: Places): Trap[] {
  const link = (name: string, href: string, expected: Expected, asks?: string): Trap => ({
    name,
    href,
    expected,
    ...(asks !== undefined && { asks }),
  });
  return [
    {
      ...link("with an accent", "/n/\u00e9t\u00e9", ok),
      serve: { "/n/%C3%A9t%C3%A9": page("Here") },
    },
    link("the same, escaped", "/n/%C3%A9t%C3%A9", ok),
    { ...link("escaped per cent", "/n/100%25", ok), serve: { "/n/100%25": page("Here") } },
    link("a broken per cent sign", "/n/%zz", none),
    {
      ...link("a name in capitals", own.replace("http://own", "HTTP://OWN") + "/n/capitals", ok),
      serve: { "/n/capitals": page("Here") },
    },
    {
      ...link("white space within", "/n/sp\nace", none),
      serve: { "/n/space": page("Here") },
    },
    {
      ...link("dots in the path", "/n/../n/./dots", ok, "/n/dots"),
      serve: { "/n/dots": page("Here") },
    },
    { ...link("backslashes", "\\n\\back", ok, "/n/back"), serve: { "/n/back": page("Here") } },
    link(
      "with a name and password",
      own.replace("http://", "http://me:secret@") + "/status/200",
      ok,
    ),
    {
      ...link("two queries", "/n/q?a=1&b=2", ok),
      serve: { "/n/q?a=1&b=2": page("One"), "/n/q?a=2": page("Two") },
    },
    link("the other query", "/n/q?a=2", ok),
    link("other letters' case", "/N/Q?a=2", broken),
    link("a fragment only", "#top", ok, "/"),
    link("an empty fragment", "/status/200#", ok),
    link("a session in the address", "/n/s;jsessionid=12AB", none),
    link("a session in the query", "/n/s?PHPSESSID=12AB", none),
    link("the program's own", "/admin/qa", none),
    link("the program's interface", "/api/health", none),
    {
      name: "not to be asked: scripts, data, mail",
      href: "",
      markup:
        '<a href="javascript:void(0)">a</a><a href="data:text/html,x">b</a><a href="mailto:a@b.example">c</a><a href="tel:+46">d</a><a href="">e</a><a href="blob:x">f</a>',
    },
    link("no slashes", "http:status", none),
    link("no host", "http:///", none),
    link("no scheme", "www.example.com/x", none),
    link("another port is a stranger", own.replace(/\d+$/, "1"), { ...broken, phase: "connect" }),
  ];
}

/** Cases of the site itself; all of them are linked from its start. */
export function ownTraps(places: Places): Trap[] {
  return [...statuses(), ...redirects(places), ...lines(), ...bodies(), ...addresses(places)];
}
