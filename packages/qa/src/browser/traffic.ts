import type { Session } from "./devtools.ts";
import type { Initiator, Visit } from "./visit.ts";

type Requested = Visit["requests"][number];
type Failed = Visit["failedRequests"][number];

interface Record {
  url: string;
  kind: string;
  /** Of the page itself or of one in it. */
  frame: string | undefined;
  initiator: Initiator;
  mixed: Requested["mixed"];
  status: number | null;
  wireBytes: number;
  mime: string;
  late: boolean;
  failure: { error: string; blocked: string | null } | null;
}

/** What a page asks for over the network, as the browser tells it. */
export interface Traffic {
  start(): void;
  /** What is asked for from now on is late. */
  markLate(): void;
  /** Of the page itself; null before an answer. */
  status(): number | null;
  /** Resolves when nothing has been under way for `quietMs`, and after `maxMs` in any case. */
  waitUntilIdle(quietMs: number, maxMs: number): Promise<void>;
  requests(): Requested[];
  failed(isRefused: (url: string) => boolean): Failed[];
  /**
   * Whether the page's scripts, and what they asked for, have come as far as they ever will: none is
   * under way, and none has failed in a way that another visitor may be spared.
   */
  isComplete(): boolean;
  /** Of a file: what it weighs, and whether it is a drawing. */
  fileOf(url: string): { wireBytes: number; vector: boolean };
  close(): void;
}

const maxRequests = 2000;
/** What stays open for as long as the page does. */
const lasting = new Set(["EventSource", "WebSocket", "Media", "Ping", "Prefetch"]);

/** Asked for by the browser although no page names it. */
const isBrowsersOwn = (url: string): boolean => URL.parse(url)?.pathname === "/favicon.ico";

const initiators: { [type: string]: Initiator } = {
  parser: "parser",
  preload: "parser",
  script: "script",
};

const filling = new Set(["script", "fetch", "xhr"]);
/** What every visitor's browser refuses just the same. */
const forAll = new Set(["csp", "mixed-content"]);

/** Whether it may come another time, or for another: its server is ill, or does not like us. */
function mayCome({ failure, status, kind }: Record): boolean {
  if (failure) return !forAll.has(failure.blocked ?? "");
  if (status === null || status < 400) return false;
  // That nobody is signed in is an answer; of a script it is a wall.
  const isWall = kind === "script" && (status === 401 || status === 403);
  return status >= 500 || status === 408 || status === 425 || status === 429 || isWall;
}

const bare = (url: string) => url.split("#")[0] ?? url;

/** Of what a style sheet names the sheet is told as where it was read, as of a page's own markup the page. */
function initiatorOf(event: { initiator: { type: string; url?: string }; documentURL: string }) {
  const { type, url } = event.initiator;
  const initiator = initiators[type] ?? "other";
  const isOfPage = url === undefined || bare(url) === bare(event.documentURL);
  return initiator === "parser" && !isOfPage ? "sheet" : initiator;
}

const mixedKinds: { [type: string]: Requested["mixed"] } = {
  blockable: "active",
  "optionally-blockable": "passive",
};

/**
 * Listens to a tab's traffic. `sizes` remembers what files weigh, for all tabs: one that comes from
 * the browser's cache weighs what it did when it came over the wire.
 */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export async function watchTraffic(session: Session, sizes: Map<string, number>): Promise<Traffic> {
  let records = new Map<string, Record>();
  let earlier: Record[] = [];
  let first: Record | undefined;
  const busy = new Set<string>();
  let late = false;
  let changed = () => {};

  const settle = (id: string) => {
    busy.delete(id);
    changed();
  };
  session.on("Network.requestWillBeSent", (event) => {
    const { requestId, request, redirectResponse } = event;
    const known = records.get(requestId);
    if (known && redirectResponse) {
      earlier.push({
        ...known,
        status: redirectResponse.status,
        wireBytes: Math.round(redirectResponse.encodedDataLength),
      });
    }
    if (!/^https?:/.test(request.url) || records.size >= maxRequests) return;
    const type = event.type ?? "Other";
    if (type === "Other" && isBrowsersOwn(request.url)) return;
    const record: Record = {
      url: request.url.split("#")[0] ?? request.url,
      kind: type.toLowerCase(),
      frame: event.frameId,
      initiator: initiatorOf(event),
      mixed: mixedKinds[request.mixedContentType ?? ""] ?? null,
      status: null,
      wireBytes: 0,
      mime: "",
      late,
      failure: null,
    };
    // The page itself, not what the one before it still asks for.
    if (type === "Document" && (!first || known === first)) first = record;
    records.set(requestId, record);
    if (!lasting.has(type)) busy.add(requestId);
    changed();
  });
  session.on("Network.responseReceived", ({ requestId, response }) => {
    const record = records.get(requestId);
    if (!record) return;
    record.status = response.status;
    record.mime = response.mimeType;
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const record = records.get(requestId);
    if (record) {
      const known = sizes.get(record.url) ?? 0;
      record.wireBytes = Math.max(known, Math.round(encodedDataLength));
      if (sizes.size < 50_000) sizes.set(record.url, record.wireBytes);
    }
    settle(requestId);
  });
  session.on("Network.loadingFailed", (event) => {
    const record = records.get(event.requestId);
    // What the page itself gives up is no failure.
    if (record && event.canceled !== true) {
      const blocked = event.blockedReason ?? (event.corsErrorStatus ? "cors" : null);
      record.failure = { error: event.errorText, blocked };
    }
    settle(event.requestId);
  });
  await session.send("Network.enable", { maxTotalBufferSize: 1, maxResourceBufferSize: 1 });
  await session.send("Network.setBypassServiceWorker", { bypass: true });

  const all = () => [...earlier, ...records.values()];
  return {
    start() {
      records = new Map();
      earlier = [];
      first = undefined;
      late = false;
      busy.clear();
    },
    markLate() {
      late = true;
    },
    status: () => first?.status ?? null,
    waitUntilIdle(quietMs, maxMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      let timer: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(timer);
        clearTimeout(last);
        changed = () => {};
        resolve();
      };
      const last = setTimeout(end, maxMs);
      changed = () => {
        clearTimeout(timer);
        if (busy.size === 0) timer = setTimeout(end, quietMs);
      };
      changed();
      return promise;
    },
    requests: () =>
      all().map(({ failure: _failure, mime: _mime, frame: _frame, ...request }) => request),
    failed: (isRefused) =>
      all()
        .filter(({ failure, status }) => failure !== null || (status ?? 0) >= 400)
        .slice(0, 100)
        .map(({ url, status, failure, kind, initiator }) => ({
          url,
          status,
          error: failure?.error ?? null,
          kind,
          initiator,
          blocked: failure?.blocked ?? null,
          refused: isRefused(url),
        })),
    isComplete: () =>
      records.size < maxRequests &&
      [...records].every(
        ([id, record]) =>
          !filling.has(record.kind) ||
          record.frame !== first?.frame ||
          !(busy.has(id) || mayCome(record)),
      ),
    fileOf(url) {
      const address = url.split("#")[0] ?? url;
      const record = all().find((one) => one.url === address);
      return {
        wireBytes: record?.wireBytes ?? sizes.get(address) ?? 0,
        vector: record?.mime === "image/svg+xml" || /\.svgz?(?:\?|$)/i.test(address),
      };
    },
    close() {
      changed = () => {};
    },
  };
}
