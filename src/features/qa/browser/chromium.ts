import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Browser, CDPSession } from "playwright-core";
import { systemPath } from "../../../platform/process.ts";
import { chromium as tool, findProgram } from "../../../platform/system-tools.ts";

/** Chromium, running. */
export interface Chromium {
  browser: Browser;
  /** As `Chromium 156.0.8078.79`. */
  version: string;
  /** Of its first process. */
  pid: number;
  /** Ends it and everything that it started, at once. */
  kill(): Promise<void>;
}

/**
 * What Playwright turns off, and what shows pages that nobody asked for or speaks with strangers by
 * itself. Chromium takes only the last list that it is given.
 */
const disabledFeatures = [
  "AimEnabled",
  "AutofillServerCommunication",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "DialMediaRouteProvider",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "InitialWebUI",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "Prerender2",
  // A frame of its own for each page of a site costs as much as the page.
  "RenderDocument",
  "SegmentationPlatform",
  "SpareRendererForSitePerProcess",
  "Translate",
  "WebUIReloadButton",
];

const scriptFlags = [
  "--max-old-space-size=512",
  // Each page's scripts, and the engines in it, run once: to compile what runs a few hundred times for
  // speed takes longer than it saves. What loops for long is compiled all the same.
  "--invocation-count-for-maglev=4000",
  "--invocation-count-for-turbofan=30000",
];

const flags = [
  "--disable-gpu",
  "--disable-quic",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  "--disable-crash-reporter",
  "--disable-notifications",
  "--disable-print-preview",
  "--disable-speech-api",
  "--no-pings",
  "--mute-audio",
  `--disable-features=${disabledFeatures.join(",")}`,
  // Nothing of what is shown is worth a process of its own for each origin: all of it is a stranger's,
  // and frames count with their page.
  "--disable-site-isolation-trials",
  // Names are asked for by the proxy alone; WebRTC goes through it or nowhere.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  `--js-flags=${scriptFlags.join(" ")}`,
  // What the browser itself asks for leads nowhere; each tab has a proxy of its own.
  "--proxy-server=http://127.0.0.1:1",
  "--proxy-bypass-list=<-loopback>",
];

/** Where Chromium is; null without. */
export function findChromium(): string | null {
  return findProgram(tool.binaries);
}

/** Which Chromium a program is, without starting it: an update changes its file. */
export function stampOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size}-${Math.round(mtimeMs)}`;
}

/**
 * Starts Chromium without a window, with its own sandbox unless run by root, which it refuses. It is
 * led by a pipe: when this process ends, however it does, Chromium ends.
 */
export async function startChromium(path: string): Promise<Chromium> {
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath: path,
    args: flags,
    // A page may neither open windows nor send messages without bound.
    ignoreDefaultArgs: ["--disable-popup-blocking", "--disable-ipc-flooding-protection"],
    chromiumSandbox: process.getuid?.() !== 0,
    // Nothing of our own environment, which holds secrets.
    env: { PATH: systemPath, HOME: tmpdir(), LANG: "en_US.UTF-8", TZ: "UTC" },
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: 30_000,
  });
  const session = await browser.newBrowserCDPSession();
  const pid = (await processesOf(session)).find(({ type }) => type === "browser")?.id ?? 0;
  return {
    browser,
    version: `Chromium ${browser.version()}`,
    pid,
    async kill() {
      if (pid > 0) signal(pid);
      await browser.close().catch(() => {});
    },
  };
}

/** Ends a process, and the group that it leads where it leads one: a script may have started it. */
function signal(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It is gone.
    }
  }
}

interface BrowserProcess {
  type: string;
  id: number;
}

async function processesOf(session: CDPSession): Promise<readonly BrowserProcess[]> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo;
}

/** What a process holds for itself, in bytes; 0 for one that is gone. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

/**
 * Ends each page's process that holds more than `mostBytes`: it costs that page. Looks twice a second.
 * Gives back what stops it.
 */
export async function watchMemory({ browser }: Chromium, mostBytes: number): Promise<() => void> {
  const session = await browser.newBrowserCDPSession();
  const look = async () => {
    for (const { type, id } of await processesOf(session)) {
      if (type !== "renderer" || (await memoryOf(id)) <= mostBytes) continue;
      try {
        process.kill(id, "SIGKILL");
      } catch {
        // It is gone.
      }
    }
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch(() => {})
      .finally(() => {
        looking = false;
      });
  }, 500);
  timer.unref();
  return () => clearInterval(timer);
}
