import { createHash } from "node:crypto";
import { request } from "undici";
import type { Answer } from "../../src/features/qa/crawl/crawl.ts";
import type { Asker } from "../../src/features/qa/probe/probes.ts";

/** Asks without any bounds. */
export const plainAsker: Asker = {
  async own(url, { method = "GET", headers = {}, body, follow = true, most = 1e9 } = {}) {
    const hops: { url: string; status: number }[] = [];
    let at = url;
    for (;;) {
      const said = await request(at, { method, headers, body: body ?? null });
      const bytes = Buffer.from(await said.body.arrayBuffer());
      const location = said.headers["location"];
      if (
        follow &&
        said.statusCode >= 300 &&
        said.statusCode < 400 &&
        typeof location === "string"
      ) {
        hops.push({ url: at, status: said.statusCode });
        at = new URL(location, at).href;
        continue;
      }
      const kept = bytes.subarray(0, most);
      const text = kept.toString("utf8");
      const answer: Answer = {
        url,
        method,
        status: said.statusCode,
        verdict: said.statusCode < 400 ? "ok" : "broken",
        reason: null,
        failure: null,
        headers: Object.fromEntries(
          Object.entries(said.headers).map(([name, value]) => [name, String(value)]),
        ),
        hops,
        finalUrl: at,
        bytes: kept.length,
        wireBytes: bytes.length,
        truncated: bytes.length > most,
        hash: createHash("sha256").update(kept).digest("hex"),
        sniffed: /^\s*<(?:!doctype html|html|p)/i.test(text) ? "text/html" : null,
        image: null,
        firstByteMs: 1,
        ms: 1,
        attempts: [],
        head: text.slice(0, 512),
        notModified: false,
      };
      return { answer, body: kept };
    }
  },
};
