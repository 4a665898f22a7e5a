import { setTimeout as delay } from "node:timers/promises";
import { Client, type ClientConfig, DatabaseError } from "pg";
import type { PreparingClient } from "./preparing-client.ts";

/** For connections to servers that may disappear without a word. */
export const clientKeepAlive = {
  keepAlive: true,
  // Idle connections: the system asks after this time, and gives up ten seconds later.
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: 10_000,
} as const satisfies ClientConfig;

/**
 * How soon the server notices that the other end of a connection is gone, in s. Until then, it keeps the
 * locks of a node that is cut off: without this, for hours. Without effect on Unix sockets, which can't be
 * cut.
 */
export const serverKeepAlive = `select set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '3', false),
  set_config('tcp_user_timeout', '25000', false)`;

/** Whether the server answers a new connection, if only with an error. */
async function isReachable(config: ClientConfig): Promise<boolean> {
  let client: Client | null = null;
  try {
    // Reads the certificates that the address names, which can fail as well.
    client = new Client(config);
    client.on("error", () => {});
    await client.connect();
    return true;
  } catch (error) {
    return error instanceof DatabaseError;
  } finally {
    // Its farewell may never arrive.
    void client?.end().catch(() => {});
  }
}

/** When to check connections whose server doesn't answer. */
export interface WatchIntervals {
  /** How long a statement may take before it is checked that the server can be reached, in ms. */
  waitMs: number;
  /** How often to check, in ms. */
  everyMs: number;
  /** How long a new connection may take, in ms. */
  connectMs: number;
}

/** A pause that ends later than this, in ms, says that this process was paused itself. */
const maxLateMs = 1000;

/** Together, two probes end what is lost within 24 s. */
const defaultIntervals: WatchIntervals = { waitMs: 8000, everyMs: 2000, connectMs: 6000 };

/** Ends connections whose server can't be reached any more. */
export interface ConnectionWatch {
  add(client: PreparingClient): void;
  remove(client: PreparingClient): void;
}

/**
 * Watches statements without an answer. While packets are lost, the system sends a statement again for a
 * quarter of an hour before it reports an error, and all that time its caller would wait. A statement may
 * take long, so a connection ends only if no new one can be made either, twice in a row: one failure may be
 * that of this process, of the name's resolution, or of a server that restarts. Nor does a late check
 * count, because this process or machine has been paused, and answers may have arrived since.
 */
export function watchConnections(
  config: ClientConfig,
  { waitMs, everyMs, connectMs } = defaultIntervals,
): ConnectionWatch {
  const clients = new Set<PreparingClient>();
  const probe = { ...config, ...clientKeepAlive, connectionTimeoutMillis: connectMs };
  let isWatching = false;

  const waiting = () => {
    const before = performance.now() - waitMs;
    return [...clients].filter(({ waitingSince }) => (waitingSince ?? Infinity) < before);
  };

  /** False if the pause took much longer than it should. */
  async function pause(): Promise<boolean> {
    const before = performance.now();
    await delay(everyMs, undefined, { ref: false });
    return performance.now() - before < 2 * everyMs + maxLateMs;
  }

  /** Ends when no statement waits. */
  async function watch(): Promise<void> {
    /** Since when those were waiting for which the last probe failed. */
    let suspects = new Map<PreparingClient, number | null>();
    while ([...clients].some(({ waitingSince }) => waitingSince !== null)) {
      const isOnTime = await pause();
      const late = new Map(waiting().map((client) => [client, client.waitingSince]));
      if (!isOnTime || late.size === 0 || (await isReachable(probe))) {
        suspects = new Map();
        continue;
      }
      for (const [client, since] of late) {
        if (suspects.get(client) === since && client.waitingSince === since) client.destroy();
      }
      suspects = late;
    }
    // At once, so that no statement that begins now stays without a watch.
    isWatching = false;
  }

  function start(): void {
    if (isWatching) return;
    isWatching = true;
    void watch();
  }

  return {
    add(client) {
      clients.add(client);
      client.onWait = start;
    },
    remove: (client) => void clients.delete(client),
  };
}
