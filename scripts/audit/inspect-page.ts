import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import type { PageFigures } from "./targets.ts";

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);
const pageSide = readFileSync(join(import.meta.dirname, "page-side.js"), "utf8");

type Theme = "light" | "dark";
type PageInspection = Omit<
  PageFigures,
  "scores" | "lcp" | "cls" | "tbt" | "bytes" | "requests" | "failed"
>;

interface Violation {
  id: string;
  nodes: { target: unknown[] }[];
}

/** The axe rules that the page currently violates, each with the count and the first place. */
async function brokenRules(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axeSource);
  const violations = await page.evaluate<Violation[]>(
    `axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)`,
  );
  return violations.map(
    ({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.target.join(" ")}`,
  );
}

/** Runs axe at this width in both themes. */
async function axeAt(browser: Browser, address: string, width: number): Promise<string[]> {
  const found: string[] = [];
  // Elements that fade in are checked once they are there.
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    reducedMotion: "reduce",
    colorScheme: "light",
  });
  const page = await context.newPage();
  await page.goto(address, { waitUntil: "load" });
  for (const theme of ["light", "dark"] satisfies Theme[]) {
    await page.emulateMedia({ colorScheme: theme });
    const broken = await brokenRules(page);
    found.push(...broken.map((rule) => `${width} ${theme} ${rule}`));
  }
  await context.close();
  return found;
}

async function overflowAt(browser: Browser, address: string, width: number): Promise<string[]> {
  const context = await browser.newContext({
    viewport: { width, height: 640 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(address, { waitUntil: "load" });
  await page.evaluate("document.fonts.ready.then(() => {})");
  const found = await page.evaluate<string[]>(`${pageSide}\nvitrineAudit.overflow()`);
  await context.close();
  return found;
}

function isHashed(script: string, policy: string): boolean {
  const hash = createHash("sha256").update(script).digest("base64");
  return policy.includes(`'sha256-${hash}'`);
}

const policies = `[...document.querySelectorAll("meta[http-equiv]")]
  .filter(({ httpEquiv }) => /^content-security-policy$/i.test(httpEquiv))
  .map(({ content }) => content).join(" ")`;

/** What a window of 1440 px loads initially, and what is in the document. */
async function firstLoad(browser: Browser, address: string) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let wideBytes = 0;
  let wideRequests = 0;
  const foreign = new Set<string>();
  const { origin } = new URL(address);
  session.on("Network.requestWillBeSent", ({ request }) => {
    if (!request.url.startsWith("http")) return;
    wideRequests += 1;
    if (new URL(request.url).origin !== origin) foreign.add(request.url);
  });
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    wideBytes += encodedDataLength;
  });
  await session.send("Network.enable");
  const response = await page.goto(address, { waitUntil: "networkidle" });
  if (response === null) throw new Error(`${address} does not answer.`);
  const policy = `${response.headers()["content-security-policy"] ?? ""} ${await page.evaluate<string>(policies)}`;
  const scripts = await page.evaluate<string[]>(`${pageSide}\nvitrineAudit.inlineScripts()`);
  const robots = await page.evaluate<string>(
    `document.querySelector('meta[name="robots" i]')?.content ?? ""`,
  );
  const html = await response.body();
  await context.close();
  return {
    status: response.status(),
    isNoindex: /noindex/i.test(`${robots} ${response.headers()["x-robots-tag"] ?? ""}`),
    htmlBytes: gzipSync(html, { level: 9 }).length,
    wideBytes,
    wideRequests,
    foreign: [...foreign],
    inlineScripts: scripts.map((script) => ({
      bytes: Buffer.byteLength(script),
      isHashed: isHashed(script, policy),
    })),
  };
}

/** Measures everything about a page that doesn't need Lighthouse. */
export async function inspectPage(
  browser: Browser,
  base: string,
  path: string,
): Promise<PageInspection> {
  const address = new URL(path, base).href;
  const loaded = await firstLoad(browser, address);
  const narrow = await axeAt(browser, address, 390);
  const wide = await axeAt(browser, address, 1440);
  const overflow = await overflowAt(browser, address, 320);
  return { path, ...loaded, axe: [...narrow, ...wide], overflow };
}
