import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  expositionType,
  formatExposition,
  type MetricFamily,
} from "../features/metrics/exposition.ts";
import type { Config } from "../platform/config.ts";
import { isLoopbackName, makeHostCheck } from "../platform/http/origin.ts";
import type { Log } from "../platform/log.ts";
import type { Service } from "./run-process.ts";

export interface MetricsServerDependencies {
  address: { host: string; port: number };
  read(): Promise<MetricFamily[]>;
  log: Log;
}

export interface MetricsServer extends Service {
  port: number;
}

/** How long a result is reused, in ms, so that frequent requests cost nothing. */
const freshMs = 1000;
/** Time limit for a request and for a connection without one, in ms. */
const timeoutMs = 10_000;
const maxConnections = 32;

/** The address for metrics in the configuration; null if they are off. */
export function metricsAddress({ metrics }: Config): { host: string; port: number } | null {
  return metrics.port === null ? null : { host: metrics.host, port: metrics.port };
}

function answer(response: ServerResponse, status: number, text: string, type = "text/plain"): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(response.req.method === "HEAD" ? undefined : text);
}

/** Reads at most once in `freshMs`, whoever asks. */
function shareReads(read: () => Promise<MetricFamily[]>): () => Promise<string> {
  let latest: { at: number; text: Promise<string> } | null = null;
  return () => {
    const at = performance.now();
    if (latest === null || at - latest.at >= freshMs) {
      latest = { at, text: read().then(formatExposition) };
    }
    return latest.text;
  };
}

/** Serves `GET /metrics` at this address. Throws like any server if the port can't be had. */
export async function listenForMetrics(deps: MetricsServerDependencies): Promise<MetricsServer> {
  const { address, read, log } = deps;
  const readText = shareReads(read);
  // A page can't read what only this machine may, by a name that leads here. Elsewhere, names are the owner's.
  const isLocal = isLoopbackName(address.host);
  const isAllowedHost = makeHostCheck({ names: [], anyAddress: true });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = "" } = request;
    if (isLocal && !isAllowedHost(request)) return answer(response, 421, "Unknown host.\n");
    if (url.split("?", 1)[0] !== "/metrics") return answer(response, 404, "See /metrics.\n");
    if (method !== "GET" && method !== "HEAD") return answer(response, 405, "Use GET.\n");
    try {
      answer(response, 200, await readText(), expositionType);
    } catch (error) {
      log.error({ err: error }, "the metrics can't be read");
      answer(response, 500, "The metrics can't be read.\n");
    }
    return undefined;
  };
  const server = createServer(
    { requestTimeout: timeoutMs, headersTimeout: timeoutMs, connectionsCheckingInterval: 2000 },
    (request, response) => void handle(request, response),
  );
  server.maxConnections = maxConnections;
  server.timeout = timeoutMs;
  await once(server.listen(address), "listening");
  log.info(address, "metrics are served");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
