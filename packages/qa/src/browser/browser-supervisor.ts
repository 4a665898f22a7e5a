import { type Chromium, startChromium, watchMemory } from "./chromium.ts";

export interface BrowserSupervisorOptions {
  /** Chromium's program. */
  executable: string;
  /** What one page may hold in memory, in bytes. */
  pageBytes: number;
  /** Ends Chromium at once. */
  signal: AbortSignal;
}

/** Keeps one Chromium running. */
export interface BrowserSupervisor {
  /** The one that runs; another one where it has ended. */
  browser(): Promise<Chromium>;
  /** Ends it; the next one that is asked for is new. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** How often a browser that ends by itself is started again. */
const maxStarts = 6;

/** Says how Chromium is kept. It starts when it is asked for. */
export function makeBrowserSupervisor({
  executable,
  pageBytes,
  signal,
}: BrowserSupervisorOptions): BrowserSupervisor {
  let starts = 0;
  let running: Promise<Chromium> | undefined;

  const start = async (): Promise<Chromium> => {
    signal.throwIfAborted();
    starts += 1;
    if (starts > maxStarts) throw new Error("Chromium ended too often");
    const chromium = await startChromium(executable);
    if (signal.aborted) await chromium.kill();
    signal.throwIfAborted();
    watchMemory(chromium, pageBytes);
    return chromium;
  };
  const stop = async () => {
    const ending = running;
    running = undefined;
    const chromium = await ending?.catch(() => undefined);
    await chromium?.kill();
  };
  const onAbort = () => void stop();
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    async browser() {
      const present = running;
      const chromium = await present?.catch(() => undefined);
      if (chromium?.devtools.isOpen()) return chromium;
      // Two may have waited for one that is gone: the first starts the next.
      if (running === present) running = start();
      return running as Promise<Chromium>;
    },
    stop,
    async close() {
      signal.removeEventListener("abort", onAbort);
      await stop();
    },
  };
}
