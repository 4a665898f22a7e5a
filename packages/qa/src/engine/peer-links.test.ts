import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engineJob } from "../../../../test/support/engine-job.ts";
import { peerLinks } from "../../../../test/support/peer-links.ts";
import {
  type Content,
  type SmallSite,
  startSmallSite,
} from "../../../../test/support/small-site.ts";
import { flatPng } from "../../../../test/support/image-bytes.ts";
import { defaultQaLimits } from "../limits.ts";
import { runEngine } from "./engine.ts";
import type { Observation } from "./job.ts";

/** Defects that other link checkers report and this engine doesn't, each with its reason. */
const notReported: ReadonlySet<string> = new Set([
  // HTML allows it: a placeholder for a link.
  "a link without an address",
  // The name of a file says nothing to visitors once the image has a text.
  "an image of a screen",
  // Browsers offer no way to follow it.
  ...["blockquote", "ins", "del", "q"].map(
    (name) => `a missing address in <${name} cite="GONE">a</${name}>`,
  ),
  `a missing address in <img longdesc="GONE" src="/ok.png" alt="A map" width="9" height="9">`,
  // Requesting it could send the form.
  `a missing address in <form action="GONE"><button>Go</button></form>`,
]);

const pathOf = (index: number) => `/case-${index}/`;

const text = `<p>Words that make this page what it is: long enough to be one, and about nothing that another page would be about.</p>`;

let other: SmallSite;
let site: SmallSite;
let found: readonly Observation[];

function pageOf(index: number): string {
  const { html, head = "" } = peerLinks[index] ?? { html: "" };
  const filled = (part: string) =>
    part.replaceAll("{other}", other.origin).replaceAll("{host}", new URL(other.origin).host);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Case ${index}</title>${filled(head)}</head><body><main><h1>Case ${index}</h1>${text}<div>${filled(html)}</div></main></body></html>`;
}

const png = { type: "image/png", body: flatPng(9, 9) };

const present: Record<string, Content> = {
  "/ok.png": png,
  "/a%20b.png": png,
  "/Screen%20Shot%202012-08-09.png": png,
  "/ok.pdf": { type: "application/pdf", body: "%PDF-1.7\n%%EOF\n" },
  "/ok.mp3": { type: "audio/mpeg", body: "ID3" },
  "/ok.mp4": { type: "video/mp4", body: "\0\0\0\x18ftypmp42\0\0\0\0mp42isom" },
  "/ok.vtt": { type: "text/vtt", body: "WEBVTT\n" },
};

const okPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title></head><body><main><h1 id="here">A page</h1>${text}<p id="ü">a</p><p id="tangent%3A-k">b</p></main></body></html>`;

const redirect = (location: string, status = 301): Content => ({ status, headers: { location } });

beforeAll(async () => {
  other = await startSmallSite({
    ...present,
    "/ok/": okPage,
    "/ok/?a=%7Cb": okPage,
    "/410": { status: 410, body: "gone" },
    "/500": { status: 500, body: "error" },
    "/502": { status: 502, body: "error" },
    "/999": { status: 999, body: "no" },
    "/head-405": okPage,
    "/to-404": redirect("/404", 302),
    "/to-ok": redirect("/ok/", 302),
  });
  site = await startSmallSite(present);
  const links = peerLinks.map((_, index) => `<a href="${pathOf(index)}">Case ${index}</a>`);
  site.content.set("/", okPage.replace("</main>", `${links.join(" ")}</main>`));
  for (const path of ["/ok/", "/ok/?q=1&b=2", "/ok/?a=b", "/ok/index.html"])
    site.content.set(path, okPage);
  site.content.set("/ok", redirect("/ok/"));
  site.content.set("/to-gone", redirect("/gone-after"));
  site.content.set("/loop", redirect("/loop"));
  for (const index of peerLinks.keys()) site.content.set(pathOf(index), pageOf(index));
  const limits = { ...defaultQaLimits, phaseSeconds: 5, seconds: 120 };
  const job = engineJob(`${site.origin}/`, { limits, external: "all", allowPrivate: true });
  const result = await runEngine(job, {
    signal: new AbortController().signal,
    progress() {},
    countMessages: async () => null,
  });
  found = result.observations;
}, 150_000);

afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
});

const about =
  /^(?:link\.|asset\.|ext\.|img\.(?!dimensions|alt|legacy)|meta\.(?:og|favicon)|page\.(?:status|html))/;
/** Of this test's servers, which are on this machine, or a piece of advice about a link that works. */
const never = /^(?:meta\.og-incomplete|ext\.(?:blocked|dns)|link\.(?:dev-host|nofollow-internal))$/;

/** What is reported about the links and files of a case's page. */
function checksOn(index: number): string[] {
  const page = pathOf(index);
  return found
    .filter(({ occurrences }) => occurrences.some((place) => place.page === page))
    .map(({ check }) => check);
}

describe("defects that other link checkers look for", () => {
  const cases = [...peerLinks.entries()].filter(([, { told }]) => told !== undefined);
  test.each(cases.map(([index, { peer, what }]) => [peer, what, index] as const))(
    "%s: %s",
    (_, what, index) => {
      const { told = /^$/ } = peerLinks[index] ?? {};
      const checks = checksOn(index).filter((check) => told.test(check));
      expect(checks.length > 0).toBe(!notReported.has(what));
    },
  );
});

describe("pages that other link checkers pass", () => {
  const cases = [...peerLinks.entries()].filter(([, { told }]) => told === undefined);
  test.each(cases.map(([index, { peer, what }]) => [peer, what, index] as const))(
    "%s: %s",
    (_, _what, index) => {
      const checks = checksOn(index).filter((check) => about.test(check) && !never.test(check));
      expect(checks).toEqual([]);
    },
  );
});
