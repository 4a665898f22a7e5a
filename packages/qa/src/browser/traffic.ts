import type { Session } from "./devtools.ts";
import type { Initiator, Visit } from "./visit.ts";

type Requested = Visit["requests"][number];
type Failed = Visit["failedRequests"][number];

interface Record {
  url: string;
  kind: string;
  /** The frame that requested it. */
  frame: string | undefined;
  initiator: Initiator;
  mixed: Requested["mixed"];
  status: number | null;
  wireBytes: number;
  mime: string;
  late: boolean;
  failure: { error: string; blocked: string | null } | null;
}

/** A page's network requests, as reported by the browser. */
export interface Traffic {
  start(): void;
  /** Later requests count as late. */
  markLate(): void;
  /** Of the page itself; null before a response. */
  status(): number | null;
  /** Resolves when no request has been running for `quietMs`, and after `maxMs` in any case. */
  waitUntilIdle(quietMs: number, maxMs: number): Promise<void>;
  requests(): Requested[];
  failed(isRefused: (url: string) => boolean): Failed[];
  /**
   * Whether the page's scripts and their requests have completed: none is running, and none has
   * failed in a way that other visitors may not see.
   */
  isComplete(): boolean;
  /** A file's transferred size, and whether it is a vector image. */
  fileOf(url: string): { wireBytes: number; vector: boolean };
  close(): void;
}

const maxRequests = 2000;
/** Requests that stay open as long as the page. */
const lasting = new Set(["EventSource", "WebSocket", "Media", "Ping", "Prefetch"]);

/** Requested by the browser although no page names it. */
const isBrowsersOwn = (url: string): boolean => URL.parse(url)?.pathname === "/favicon.ico";

const initiators: { [type: string]: Initiator } = {
  parser: "parser",
  preload: "parser",
  script: "script",
};

const filling = new Set(["script", "fetch", "xhr"]);
/** Reasons for which every visitor's browser would refuse it. */
const forAll = new Set(["csp", "mixed-content"]);

/** Whether it may succeed another time or for others: its server fails, or refuses us. */
function mayCome({ failure, status, kind }: Record): boolean {
  if (failure) return !forAll.has(failure.blocked ?? "");
  if (status === null || status < 400) return false;
  // Being signed out is a normal response; for a script it is a wall.
  const isWall = kind === "script" && (status === 401 || status === 403);
  return status >= 500 || status === 408 || status === 425 || status === 429 || isWall;
}

const bare = (url: string) => url.split("#")[0] ?? url;

/** For requests from a style sheet, the sheet; for those from markup, the page. */
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
 * Listens to a tab's traffic. `sizes` stores transferred sizes for all tabs, because a cached file
 * has the size of its first transfer.
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
    // The page itself, not pending requests of the previous one.
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
    // A request cancelled by the page isn't a failure.
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
