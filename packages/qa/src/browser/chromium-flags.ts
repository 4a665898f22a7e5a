import { wide } from "./narrow.ts";

/**
 * Features that show pages nobody asked for, contact servers automatically, or make results vary.
 * Chromium only uses the last such list.
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
  // A process for each frame costs as much as for the page.
  "RenderDocument",
  "SegmentationPlatform",
  "SpareRendererForSitePerProcess",
  "Translate",
  "WebUIReloadButton",
];

const scriptFlags = [
  "--max-old-space-size=512",
  // A page is closed before there is much garbage, and with a small heap, one thread collects
  // faster than several that have to be woken.
  "--min-semi-space-size=16",
  "--no-parallel-scavenge",
  // Scripts and engines run once per page: optimizing code that runs a few hundred times takes
  // longer than it saves. Long loops are still compiled.
  "--invocation-count-for-maglev=4000",
  "--invocation-count-for-turbofan=30000",
];

/** A mouse with hover, as visitors with a wide screen have. */
const pointers = [
  "primaryHoverType=2",
  "availableHoverTypes=2",
  "primaryPointerType=4",
  "availablePointerTypes=4",
];

/** Chromium's flags, except its profile folder. */
export const chromiumFlags: readonly string[] = [
  "--remote-debugging-pipe",
  "--headless",
  "--no-startup-window",
  `--window-size=${wide.width},${wide.height}`,
  // Disables everything that nobody asked for.
  "--no-first-run",
  "--no-default-browser-check",
  "--no-service-autorun",
  "--no-pings",
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-update",
  "--disable-crash-reporter",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-field-trial-config",
  "--disable-hang-monitor",
  "--disable-infobars",
  "--disable-notifications",
  "--disable-print-preview",
  "--disable-prompt-on-repost",
  "--disable-search-engine-choice-screen",
  "--disable-speech-api",
  "--disable-sync",
  "--metrics-recording-only",
  "--password-store=basic",
  "--use-mock-keychain",
  "--mute-audio",
  // Background pages are treated like foreground ones.
  "--allow-pre-commit-input",
  "--disable-back-forward-cache",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--enable-unsafe-swiftshader",
  "--disable-quic",
  "--force-color-profile=srgb",
  "--hide-scrollbars",
  `--blink-settings=${pointers.join(",")}`,
  "--enable-features=CDPScreenshotNewSurface",
  `--disable-features=${disabledFeatures.join(",")}`,
  // Nothing shown needs a process per origin: all of it is untrusted, and frames count with their
  // page.
  "--disable-site-isolation-trials",
  // Only the proxy resolves names; WebRTC goes through it or nowhere.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  `--js-flags=${scriptFlags.join(" ")}`,
  // The browser's own requests lead nowhere; each tab has its own proxy.
  "--proxy-server=http://127.0.0.1:1",
  "--proxy-bypass-list=<-loopback>",
];
