import { type Chromium, startChromium, watchMemory } from "./chromium.ts";

export interface BrowserSupervisorOptions {
  /** The path of Chromium. */
  executable: string;
  /** Memory limit of one page, in bytes. */
  pageBytes: number;
  /** Aborting ends Chromium immediately. */
  signal: AbortSignal;
}

/** Keeps one Chromium running. */
export interface BrowserSupervisor {
  /** The running browser; a new one if it has ended. */
  browser(): Promise<Chromium>;
  /** Ends it; the next request starts a new one. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** How often a browser that ends unexpectedly is restarted. */
const maxStarts = 6;

/** Creates the supervisor. Chromium starts on demand. */
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
      // Two callers may have waited for a browser that is gone: the first one starts the next.
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
