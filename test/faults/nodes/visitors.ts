import { createHash } from "node:crypto";
import { type Actor, type LoadContext, repeatedly } from "../load/actor.ts";
import { count } from "../journal.ts";
import { delay } from "../wait.ts";
import { pairPaths } from "../model.ts";
import type { Cluster } from "./cluster.ts";

/** A node that is cut off gets files that it lacks within this time of being back, in ms. */
const graceMs = 60_000;

interface Page {
  status: number;
  hash: string;
}

async function read(url: string, headers: Record<string, string> = {}): Promise<Page | null> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(20_000) });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, hash: createHash("sha256").update(bytes).digest("hex") };
  } catch {
    return null;
  }
}

function countPage({ journal }: LoadContext, kind: string, page: Page | null): void {
  if (page === null) count(journal, kind, "unanswered");
  else count(journal, kind, page.status === 200 ? "done" : "refused");
}

/** Reads public pages of any node; each has to be one of a release, byte for byte. */
export function makeVisitors({ nodes, pages }: Cluster): Actor {
  return repeatedly(60, async (context) => {
    const { journal, random } = context;
    const node = random.pick(nodes);
    const { mark } = random.pick([...journal.publishes.slice(-20), { mark: "" }]);
    const half = random.pick(pairPaths(mark)).slice("app/public".length);
    const path = random.pick(["/", "/about/", "/projects/", ...(mark === "" ? [] : [half])]);
    const page = await read(node.baseUrl + path);
    countPage(context, "visit", page);
    // A node that has not followed yet doesn't have the newest files.
    if (page === null || page.status === 503 || (path === half && page.status === 404)) return;
    if (page.status !== 200) {
      journal.anomalies.push(`${path} answered ${page.status}`);
    } else if (!pages.has(path, page.hash)) {
      for (const each of nodes) await pages.collect(each);
      if (pages.has(path, page.hash)) return;
      journal.anomalies.push(`${path} is torn: no release has ${page.hash.slice(0, 8)}`);
    }
  });
}

/** Reads stored images at any node, as the owner does, and compares them with other nodes' answers. */
export function makeMediaReaders({ nodes, uploads }: Cluster): Actor {
  const hashes = new Map<string, string>();
  return repeatedly(400, async (context) => {
    const { journal, random } = context;
    const [src] = random.pick([...uploads.addresses, [""] as const]);
    if (src === "" || journal.session === "") return;
    const { baseUrl } = random.pick(nodes);
    // Web's own address: pages at the public one are served without web, too.
    const url = baseUrl + src.replace("/media/", "/api/media/file/");
    const deadline = performance.now() + graceMs;
    let page = await read(url, { cookie: journal.session });
    countPage(context, "image read", page);
    while (page?.status === 404 && performance.now() < deadline) {
      await delay(500);
      page = await read(url, { cookie: journal.session });
    }
    if (page === null || page.status === 503 || !uploads.addresses.has(src)) return;
    if (page.status !== 200) {
      journal.anomalies.push(`${src} answered ${page.status} at ${baseUrl}`);
      return;
    }
    const hash = hashes.get(src) ?? page.hash;
    hashes.set(src, hash);
    if (hash !== page.hash) journal.anomalies.push(`${src} is torn at ${baseUrl}`);
  });
}
