import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultQaLimits } from "../limits.ts";
import { processTreeOf } from "../system/tree-memory.ts";
import { loadChecks } from "../checks/load.ts";
import { findChromium } from "./find-chromium.ts";
import { browserEngines, runBrowser } from "./run-browser.ts";
import { openPool, type Pool, type PoolOptions } from "./pool.ts";
import type { Visit } from "./visit.ts";
import { eventually } from "../../../../test/support/eventually.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An image of one color. */
function png(width: number, height: number): Buffer {
  const crcTable = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const crc = (data: Buffer) =>
    (data.reduce((c, byte) => (crcTable[(c ^ byte) & 255] ?? 0) ^ (c >>> 8), ~0) ^ ~0) >>> 0;
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([size, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc((width + 1) * height));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", rows),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const send =
  (type: string, body: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(200, { "content-type": type, ...headers });
    response.end(body);
  };

const frame = (main: string, head = "") =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page of the site</title><meta name="viewport" content="width=device-width">${head}</head><body><main><h1>A page</h1>${main}</main></body></html>`;
const html = (main: string, head = "", headers: Record<string, string> = {}) =>
  send("text/html; charset=utf-8", frame(main, head), headers);
const script = (code: string) => html(`<p>Words.</p><script>${code}</script>`);

const words = "Some more words so that the line wraps more than once on any telephone. ".repeat(4);
const long = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft";

const late = png(400, 600);

/** What the site answers, by path. */
const files: Record<string, Answer> = {
  "/p.png": send("image/png", png(100, 80), { "cache-control": "max-age=600" }),
  "/large.png": send("image/png", png(2400, 1800), { "cache-control": "max-age=600" }),
  "/a.css": send("text/css", `p{color:#222}/*${"x".repeat(5000)}*/`, {
    "cache-control": "max-age=600",
  }),
  "/a.js": send("text/javascript", `window.a=1;//${"x".repeat(3000)}`, {
    "cache-control": "max-age=600",
  }),
  "/named.css": send("text/css", "main{background:url(/lost.png)}"),
  "/sw.js": send("text/javascript", ""),
  "/frame": html("<script>console.error('Of the frame')</script>"),
  "/late.png": (_request, response) => {
    setTimeout(() => response.writeHead(200, { "content-type": "image/png" }).end(late), 400);
  },
  "/fails": (_request, response) => {
    response.writeHead(500).end();
  },
};

/** Pages that are looked at in one go, by name. */
const pages: Record<string, Answer> = {
  // First, because only the first pages that are poor are measured again, and on a busy machine many
  // are.
  jumps: html(
    `<img src="/late.png" alt="Late">${`<p>${words}</p>`.repeat(8)}<script>setTimeout(() => {
       const until = performance.now() + 250; while (performance.now() < until); }, 50);</script>`,
    `<script src="/a.js"></script>`,
  ),
  good: html(
    `<p>Some words with <a href="/a">a link</a> in them and <a href="/b">another one</a>.</p>
     <img src="/p.png" alt="A square" width="100" height="80"><button type="button">Do it</button>
     <div style="overflow-x:auto"><table style="width:900px"><tr><th>A</th><td>B</td></tr></table></div>
     <span style="position:absolute;left:-9999px">hidden</span>
     <span style="position:absolute;right:-200px;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)">hidden</span>
     <div style="position:fixed;right:-300px;top:0;width:300px">Menu</div>
     <p style="width:200px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis">${words}</p>
     <p style="max-height:60px;overflow:hidden">${words.repeat(9)}</p>
     <script>
       navigator.serviceWorker?.register("/sw.js").then((it) => it.update());
       localStorage.setItem("seen", "1"); window.found = localStorage.getItem("seen");
       if (matchMedia("(max-width: 400px)").matches) document.body.append("narrow");
     </script>`,
    `<link rel="stylesheet" href="/a.css"><script src="/a.js" defer></script>`,
  ),
  again: html(
    `<p>Words.</p><script>if (localStorage.getItem("seen")) console.error("It was here before")</script>`,
    `<link rel="stylesheet" href="/a.css"><script src="/a.js" defer></script>`,
  ),
  console: html(
    `<iframe src="/frame" title="A frame"></iframe><script>console.error("It broke %s at 42", "x");
     console.warn("no error"); setTimeout(() => { throw new TypeError("no 17"); });
     Promise.reject(new Error("late"));</script>`,
  ),
  requests: html(
    `<img src="/gone.png" alt="Gone"><img src="http://169.254.169.254/latest/meta-data" alt="Meta">
     <img src="http://rebind.test/x.png" alt="Rebound"><script>fetch("/fails").catch(() => {});
     fetch("/gone.json?t=" + Math.random()); fetch("http://[::ffff:10.0.0.1]/", { mode: "no-cors" }).catch(() => {});
     const given = new AbortController(); fetch("/slow", { signal: given.signal }).catch(() => {}); given.abort();</script>`,
    `<link rel="stylesheet" href="/named.css">`,
  ),
  policy: html(`<p>Words.</p><script>window.ran = 1</script>`, "", {
    "content-security-policy": "default-src 'self'; script-src 'self'; style-src 'self'",
    "content-security-policy-report-only": "img-src 'none'",
  }),
  wide: html(`<div class="strip" style="width:700px;background:#eee">A strip of 700 pixels</div>`),
  word: html(`<p class="word">${long}${long}</p>`),
  table: html(`<table style="width:500px"><tr><th>A</th><td>B</td></tr></table>`),
  adapts: html(
    `<div id="it">Words</div><script>document.querySelector("#it").style.width = innerWidth - 40 + "px"</script>`,
  ),
  clipped: html(`<p class="card" style="height:52px;overflow:hidden">${words}</p>`),
  images: html(
    `<img src="/large.png" alt="Large" width="400" height="300" loading="lazy">${`<p>${words}</p>`.repeat(300)}
     <img src="/lost.png" alt="Lost" loading="lazy" width="40" height="40">`,
  ),
  targets: html(
    `<ul style="list-style:none;padding:0;font:12px/16px sans-serif"><li><a href="/a">First</a></li><li><a href="/b">Second</a></li></ul>
     <p>In a line <a href="/c">one</a> and <a href="/d">two</a>.</p>
     <p style="padding:30px 0"><a href="/e" style="display:inline-block;width:10px;height:10px;background:#333" aria-label="Alone"></a></p>
     <label><input type="checkbox"> Yes</label>`,
  ),
  trap: html(
    `<a href="/a">One</a><div class="editor" tabindex="0">Text</div><a href="/b">Two</a>
     <script>document.querySelector(".editor").addEventListener("keydown", (event) => { if (event.key === "Tab") event.preventDefault(); });</script>`,
  ),
  escapes: html(
    `<a href="/a">One</a><textarea aria-label="Code"></textarea><a href="/b">Two</a>
     <script>let out = false; const code = document.querySelector("textarea");
     code.addEventListener("keydown", (event) => { if (event.key === "Escape") out = true; else if (event.key === "Tab" && !out) event.preventDefault(); });</script>`,
  ),
  retakes: html(
    `<button type="button">One</button><button type="button">Two</button><a href="/a">Three</a>
     <script>const [one, two] = document.querySelectorAll("button");
     one.addEventListener("blur", () => setTimeout(() => two.focus(), 10));
     two.addEventListener("blur", () => setTimeout(() => one.focus(), 10));</script>`,
  ),
  banner: html(
    `<div style="position:fixed;bottom:0"><button type="button">Accept</button><button type="button">Reject</button></div><a href="/a">One</a><a href="/b">Two</a><a href="/c">Three</a>
     <script>const [one, two] = document.querySelectorAll("button");
     one.focus();
     one.addEventListener("blur", () => setTimeout(() => two.focus(), 10));
     two.addEventListener("blur", () => setTimeout(() => one.focus(), 10));</script>`,
  ),
  unseen: html(
    `<a class="skip" href="#x">To the content</a><a class="off" href="/a">Off the page</a><a href="/b">There</a>
     <div role="dialog" aria-label="Ask"><button type="button">Yes</button><button type="button">No</button></div>
     <p>${words}</p>`,
    `<style>.skip{position:absolute;top:-60px;transition:top .2s}.skip:focus{top:0}.off{position:absolute;left:-2000px}</style>`,
  ),
  alerts: script(`for (;;) alert("Hello");`),
  circles: script(`location.href = "/circles?" + Math.random();`),
  leaves: script(`location.href = "/good";`),
  windows: script(`setInterval(() => open("/good"), 20);`),
  download: send("application/octet-stream", "data", {
    "content-disposition": "attachment; filename=it.bin",
  }),
  stays: script(
    `onbeforeunload = (event) => { event.preventDefault(); return "Stay"; }; prompt("Who?"); print();`,
  ),
  canvas:
    script(`const keep = []; for (let i = 0; i < 6; i++) { const it = document.createElement("canvas"); it.width = it.height = 8000;
    const pen = it.getContext("2d", { willReadFrequently: true }); pen.fillRect(0, 0, 8000, 8000); pen.getImageData(0, 0, 1, 1); keep.push(it); }
    const more = []; setInterval(() => more.push(new Uint8Array(2e7).fill(1)), 10);`),
  held: html(`<p>Words.</p><script src="/slow"></script>`),
  lacks: html(`<p>Words.</p><script src="/fails"></script>`),
  hangs: script(`setTimeout(() => { for (;;); });`),
  pours: (_request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    const pour = () => {
      while (!response.destroyed && response.write(`<p>${words.repeat(200)}</p>`));
    };
    response.on("drain", pour);
    pour();
  },
  closes: script(`close(); setTimeout(() => close());`),
  missing: (_request, response) => {
    response.writeHead(404, { "content-type": "text/html" }).end(frame("Not here"));
  },
};
const names = Object.keys(pages);
/** Those that take all the time that they are given. */
const endless = ["canvas", "hangs", "pours"];

const requestedPaths: string[] = [];
const metadata: string[] = [];
const server = createServer((request, response) => {
  const path = new URL(request.url ?? "/", "http://x").pathname;
  requestedPaths.push(path);
  if (path === "/slow") return;
  const serverResponse = files[path] ?? pages[path.slice(1)];
  if (serverResponse) serverResponse(request, response);
  else response.writeHead(404).end();
});
/** Stands for what is inside a network: nothing may come here. */
const inside = createServer((request, response) => {
  metadata.push(request.url ?? "");
  response.end("secret");
});
const portOf = (one: typeof server) => (one.address() as AddressInfo).port;

const stopping = new AbortController();
const visits = new Map<string, Visit>();
const failures = new Map<string, string>();
let origin = "";
let pool: Pool;

const watch = {
  onVisit: (visit: Visit) => void visits.set(visit.page.slice(1), visit),
  onFailure: (path: string, why: string) => void failures.set(path.slice(1), why),
};
const visited = (name: string): Visit => {
  const visit = visits.get(name);
  expect(visit, `${name}: ${failures.get(name)}`).toBeDefined();
  return visit as Visit;
};
const pageOf = (name: string) => ({ path: `/${name}`, url: `${origin}/${name}` });
/** With so much time for a page that none runs out of it because the machine is busy. */
function poolOptions(): PoolOptions {
  const executable = findChromium();
  if (executable === null) throw new Error("Chromium is not installed.");
  return {
    executable,
    tabs: 2,
    pagesPerTab: 8,
    pageBytes: 400 * 1024 * 1024,
    origin,
    connect: { host: "127.0.0.1", port: portOf(server) },
    resolve: async () => ["127.0.0.1"],
    phaseMs: 3000,
    pageMs: 60_000,
    maxBytes: 20_000_000,
    signal: stopping.signal,
  };
}
const descendants = async () =>
  processTreeOf(process.pid)
    .map(({ id }) => id)
    .slice(1);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

beforeAll(async () => {
  for (const one of [server, inside]) {
    one.listen(0, "127.0.0.1");
    while (!one.listening) await turn();
  }
  origin = `http://site.test:${portOf(server)}`;
  pool = await openPool(poolOptions());
  await pool.visit(names.filter((name) => !endless.includes(name)).map(pageOf), watch);
  const impatient = await openPool({ ...poolOptions(), pageMs: 8000 });
  await impatient.visit(endless.map(pageOf), watch);
  await impatient.close();
}, 240_000);

afterAll(async () => {
  await pool.close();
  for (const one of [server, inside]) {
    one.closeAllConnections();
    one.close();
  }
});

describe("a visit", () => {
  test("to a good page finds nothing, with all checks", async () => {
    const checks = (await loadChecks("browser")).filter(({ id }) => !id.startsWith("a11y.axe"));
    const visit = visited("good");
    const said = checks.flatMap((check) =>
      [...check.run(visit)].map((seen) => [check.id, seen.message]),
    );
    expect(said).toEqual([]);
    expect(visit).toMatchObject({
      status: 200,
      url: `${origin}/good`,
      violations: [],
      console: [],
    });
    expect(visit.narrow.map(({ width, scrollWidth }) => [width, scrollWidth])).toEqual([
      [375, expect.any(Number)],
      [320, expect.any(Number)],
    ]);
    expect(visit.paint.largest?.selector).toBeTruthy();
    expect(visit.a11y.engines).toContainEqual(expect.stringContaining("axe-core"));
    expect(requestedPaths).not.toContain("/sw.js");
  });

  test("reports script errors on the page itself", () => {
    const { console: entries } = visited("console");
    expect(entries.map(({ kind, text }) => [kind, text])).toEqual(
      expect.arrayContaining([
        ["error", "It broke x at 42"],
        ["exception", "TypeError: no 17"],
        ["exception", "Error: late"],
      ]),
    );
    expect(entries).toHaveLength(3);
    expect(entries[0]?.url).toBe(`${origin}/console`);
  });

  test("reports failed requests and their initiators", () => {
    const failed = new Map(
      visited("requests").failedRequests.map((one) => [one.url.split("?")[0] ?? "", one]),
    );
    expect(failed.get(`${origin}/gone.png`)).toMatchObject({ status: 404, initiator: "parser" });
    expect(failed.get(`${origin}/lost.png`)).toMatchObject({ status: 404, initiator: "sheet" });
    expect(failed.get(`${origin}/fails`)).toMatchObject({ status: 500, initiator: "script" });
    expect(failed.get(`${origin}/gone.json`)).toMatchObject({ status: 404, initiator: "script" });
    expect(failed.has(`${origin}/slow`)).toBe(false);
  });

  test("abuse 91, 92: private, mapped, and rebound addresses can't be reached by any page", () => {
    const refused = visited("requests").failedRequests.filter((one) => one.refused);
    expect(refused.map(({ url }) => new URL(url).hostname).toSorted()).toEqual([
      "169.254.169.254",
      "[::ffff:a00:1]",
      "rebind.test",
    ]);
    expect(metadata).toEqual([]);
  });

  test("reports violations of the page's policy, except those caused by the engine", () => {
    const { violations, a11y } = visited("policy");
    expect(violations).toEqual([{ directive: "script-src-elem", blocked: "inline" }]);
    expect(a11y.engines.length).toBeGreaterThan(0);
  });

  test("counts a cached file with its transfer size, and nothing else", () => {
    const weights = (name: string) =>
      Object.fromEntries(
        visited(name)
          .requests.filter(({ url }) => /\/a\.(?:css|js)$/.test(url))
          .map(({ url, wireBytes }) => [url.slice(-3), wireBytes]),
      );
    expect(weights("again")).toEqual(weights("good"));
    expect(weights("good")["css"]).toBeGreaterThan(5000);
    expect(visited("again").console).toEqual([]);
  });

  test("doesn't report rendered text of a page whose scripts didn't all run", () => {
    expect([visited("held").rendered, visited("lacks").rendered]).toEqual([null, null]);
  });

  test("measures shifts, blocking time, and render-blocking resources, three times if they are poor", () => {
    const { paint, renderBlocking } = visited("jumps");
    expect(paint.runs).toBe(3);
    expect(paint.shift).toBeGreaterThan(0.1);
    expect(paint.blockedMs).toBeGreaterThan(150);
    expect(renderBlocking).toContainEqual({
      url: `${origin}/a.js`,
      kind: "script",
      ms: expect.any(Number),
    });
  });

  test("reports what overflows narrow windows, with a screenshot", () => {
    const [at375, at320] = visited("wide").narrow;
    expect(at375).toMatchObject({ width: 375, clientWidth: 375 });
    expect(at375?.scrollWidth).toBeGreaterThan(700);
    expect(at375?.offenders).toMatchObject([{ locator: "body main div.strip", wide: false }]);
    expect(at320?.screenshot).toMatch(/^data:image\/webp;base64,/);
    expect(at320?.screenshot?.length).toBeLessThanOrEqual(48 * 1024);
    expect(visited("word").narrow[0]?.offenders).toMatchObject([{ locator: "body main p.word" }]);
    expect(visited("table").narrow[1]?.offenders).toMatchObject([{ wide: true }]);
  });

  test("reloads a page before it reports that a script's layout overflows", () => {
    expect(visited("adapts").narrow.flatMap(({ offenders }) => offenders)).toEqual([]);
  });

  test("reports text that only a narrow window cuts off", () => {
    const [at375] = visited("clipped").narrow;
    expect(at375?.clipped).toMatchObject([{ locator: "body main p.card", clientHeight: 52 }]);
    expect(visited("good").narrow.flatMap(({ clipped }) => clipped)).toEqual([]);
  });

  test("measures images, including lazy ones", () => {
    const { images, failedRequests, requests } = visited("images");
    expect(images).toMatchObject([
      {
        url: `${origin}/large.png`,
        natural: { width: 2400, height: 1800 },
        rendered: { width: 400, height: 300 },
        lazy: true,
        vector: false,
      },
    ]);
    expect(images[0]?.top).toBeLessThan(200);
    expect(images[0]?.wireBytes).toBeGreaterThan(1000);
    expect(failedRequests).toMatchObject([{ url: `${origin}/lost.png`, status: 404 }]);
    expect(requests.find(({ url }) => url.endsWith("/lost.png"))?.late).toBe(true);
  });

  test("reports small, crowded targets, with the exceptions of WCAG 2.5.8", () => {
    expect(visited("targets").smallTargets.map(({ text, height }) => [text, height < 24])).toEqual([
      ["First", true],
      ["Second", true],
    ]);
  });

  test("follows the Tab key and reports where it gets stuck", () => {
    const trapped = visited("trap").focus;
    expect(trapped.sequence).toHaveLength(2);
    expect(trapped.stuck?.locator).toBe("body main div.editor");
    expect(visited("escapes").focus.stuck).toBeNull();
    // A script takes the focus back some time later.
    expect(visited("retakes").focus.stuck?.selector).toContain("button");
    // Whoever answers what lies above the page gets on.
    expect(visited("banner").focus.stuck).toBeNull();
    expect(visited("good").focus.sequence).toHaveLength(3);
  });

  test("reports invisible focus, within its time limit", () => {
    const { unseen, stuck, sequence } = visited("unseen").focus;
    expect(unseen.map(({ locator }) => locator)).toEqual(["body main a.off"]);
    expect(stuck).toBeNull();
    expect(sequence).toHaveLength(5);
  });
});

describe("a misbehaving page should only harm its own result", () => {
  test.for([
    ["alerts", /dialogs/],
    ["circles", /redirects|redirecting/],
    ["leaves", /redirects to .*\/good/],
    ["download", /download/],
    ["hangs", /takes too long/],
    ["pours", /loads more|takes too long|too much memory/],
    ["missing", /returns 404/],
    ["canvas", /memory|too long/],
  ] as const)("%s", ([name, why]) => {
    expect(visits.has(name)).toBe(false);
    expect(failures.get(name)).toMatch(why);
  });

  test("windows and dialogs are dismissed, leaving is always allowed, closing itself never", () => {
    // How many it opens before it has been looked at depends on the machine.
    const opened = visits.get("windows")?.status ?? failures.get("windows");
    expect([200, "it keeps opening windows"]).toContain(opened);
    expect(visited("stays").status).toBe(200);
    expect(visited("closes").status).toBe(200);
  });

  test("all other pages are checked", () => {
    expect([...visits.keys(), ...failures.keys()].toSorted()).toEqual(names.toSorted());
  });
});

test("abuse 91: requests that a page makes by other means than loading are contained, too", async () => {
  const port = portOf(inside);
  pages["ways"] = script(`
    for (const address of ["ws://127.0.0.1:${port}/", "ws://site.test:${port}/"]) { try { new WebSocket(address); } catch {} }
    const it = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}?transport=udp" }, { urls: "turn:127.0.0.1:${port}?transport=tcp", username: "a", credential: "b" }] });
    it.createDataChannel("a"); it.createOffer().then((offer) => it.setLocalDescription(offer));
    navigator.sendBeacon("http://127.0.0.1:${port}/beacon", "x");
    const link = document.createElement("link"); link.rel = "prefetch"; link.href = "http://127.0.0.1:${port}/prefetch"; document.head.append(link);
    new Image().src = "http://0x7f000001:${port}/"; new Image().src = "http://2130706433:${port}/"; new Image().src = "http://localhost:${port}/";
    location.hash = "done";`);
  const reached: unknown[] = [];
  inside.on("connection", () => reached.push(1));
  await pool.visit([pageOf("ways")], watch);
  expect(visited("ways").status).toBe(200);
  expect(reached).toEqual([]);
  expect(metadata).toEqual([]);
});

test("a page that exceeds its memory is opened again alone before that is reported", async () => {
  const greedy = script("const all = []; for (;;) all.push(new Uint8Array(8_000_000).fill(1));");
  const requests = { pressed: 0, greedy: 0 };
  pages["pressed"] = (request, response) => {
    requests.pressed += 1;
    (requests.pressed === 1 ? greedy : html("<p>Words.</p>"))(request, response);
  };
  pages["greedy"] = (request, response) => {
    requests.greedy += 1;
    greedy(request, response);
  };
  await pool.visit([pageOf("pressed"), pageOf("greedy"), pageOf("good")], watch);
  expect(visited("pressed").status).toBe(200);
  expect(failures.has("pressed")).toBe(false);
  expect(failures.get("greedy")).toMatch(/too much memory/);
  expect(requests).toEqual({ pressed: 2, greedy: 2 });
});

test("a killed browser is restarted, and its pages are checked", async () => {
  const waiting = Promise.withResolvers<void>();
  // Its load does not end by itself: only what tells that the browser is gone ends the visit.
  pages["beside"] = html(`<img src="/held.png" alt="Held">`);
  files["/held.png"] = () => {
    waiting.resolve();
    delete files["/held.png"];
  };
  let before: readonly number[] = [];
  pages["killer"] = async () => {
    await waiting.promise;
    pages["killer"] = html("<p>Words.</p>");
    for (const pid of await descendants()) {
      if (before.includes(pid)) continue;
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended with another.
      }
    }
  };
  before = await descendants();
  // Loading may take longer than the page may in all.
  const patient = await openPool({ ...poolOptions(), phaseMs: 600_000 });
  await patient.visit([pageOf("killer"), pageOf("beside")], watch);
  await patient.close();
  expect(visited("killer").status).toBe(200);
  expect(visited("beside").status).toBe(200);
}, 240_000);

test("an abort ends everything at once", async () => {
  pages["waits"] = (_request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.write("<p>More to come");
    abort.abort(new Error("enough"));
  };
  const abort = new AbortController();
  const before = new Set(await descendants());
  const looking = runBrowser({
    pages: [{ ...pageOf("waits"), html: () => undefined }],
    origin,
    connect: { host: "127.0.0.1", port: portOf(server) },
    limits: defaultQaLimits,
    signal: abort.signal,
    onVisit: () => expect.unreachable(),
  });
  await expect(looking).rejects.toThrow("enough");
  await eventually(async () => {
    expect((await descendants()).filter((pid) => !before.has(pid))).toEqual([]);
  });
});

test("no Chromium outlives the process that started it", async () => {
  const code = `
    import { runBrowser } from ${JSON.stringify(new URL("./run-browser.ts", import.meta.url).href)};
    await runBrowser({ pages: [{ path: "/hangs", url: ${JSON.stringify(`${origin}/hangs`)}, html: () => undefined }],
      origin: ${JSON.stringify(origin)}, connect: { host: "127.0.0.1", port: ${portOf(server)} },
      limits: ${JSON.stringify({ ...defaultQaLimits, phaseSeconds: 60 })},
      signal: new AbortController().signal, onVisit() {} });`;
  const arrived = requestedPaths.length;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "ignore" });
  await eventually(() => expect(requestedPaths.slice(arrived)).toContain("/hangs"), 30_000);
  const tree = processTreeOf(child.pid ?? 0).map(({ id }) => id);
  expect(tree.length).toBeGreaterThan(2);
  child.kill("SIGKILL");
  await eventually(() => expect(tree.filter(isRunning)).toEqual([]));
});

test("without Chromium, jsdom checks the markup, and everything else is reported as not checked", async () => {
  const found: Visit[] = [];
  const outcome = await runBrowser({
    pages: [{ path: "/x", url: `${origin}/x`, html: () => frame(`<img src="/p.png">`) }],
    origin,
    connect: null,
    limits: defaultQaLimits,
    signal: stopping.signal,
    executable: null,
    onVisit: (visit) => found.push(visit),
  });
  expect(outcome).toMatchObject({ environment: "jsdom", visited: ["/x"] });
  expect(outcome.skippedChecks[0]?.checks).toEqual(
    expect.arrayContaining(["resp.overflow-375", "js.console-error", "perf.page-weight"]),
  );
  expect(outcome.skippedChecks[0]?.why).toContain("1 page was checked by markup only");
  expect(found[0]?.a11y.environment).toBe("jsdom");
  expect(found[0]?.a11y.notChecked.join(" ")).toContain("contrast");
  const checks = await loadChecks("browser");
  const passed = checks.filter(({ id }) => !outcome.skippedChecks[0]?.checks?.includes(id));
  expect(passed.every(({ id }) => id.startsWith("a11y.axe") || id === "a11y.incomplete")).toBe(
    true,
  );
});

test("the engines are named without being started", () => {
  expect(browserEngines()).toMatch(/^visit \d+, chromium \d+-\d+, axe-core [\d.]+, accesslint/);
  expect(browserEngines()).toBe(browserEngines());
});

test("the proxy serves only the tab's page", async () => {
  const { openProxy } = await import("./proxy.ts");
  const proxy = await openProxy({ origin, connect: null, phaseMs: 1000, maxBytes: 1000 });
  const tell = async (text: string) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect(proxy.port, "127.0.0.1", () => socket.write(text));
    let serverResponse = "";
    socket.on("data", (chunk) => {
      serverResponse += chunk.toString();
    });
    socket.on("close", () => resolve(serverResponse));
    socket.on("error", () => resolve(serverResponse));
    return promise;
  };
  expect(await tell(`CONNECT 127.0.0.1:${portOf(inside)} HTTP/1.1\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 403/,
  );
  expect(await tell("CONNECT nonsense HTTP/1.1\r\n\r\n")).toMatch(/^HTTP\/1.1 403/);
  expect(await tell(`GET http://127.0.0.1:${portOf(inside)}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toBe(
    "",
  );
  expect(await tell("GET /etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
  expect(await tell("GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
  expect(proxy.isRefused(`http://127.0.0.1:${portOf(inside)}/`)).toBe(true);
  expect(metadata).toEqual([]);
  await proxy.close();
});
