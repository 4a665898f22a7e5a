import { wide } from "./narrow.ts";

/**
 * What shows pages that nobody asked for, speaks with strangers by itself, or makes one look differ from
 * the next. Chromium takes only the last list that it is given.
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
  // A page is over before there is much to clear away, and a small heap is cleared sooner by one thread
  // than by several that have to be woken for it.
  "--min-semi-space-size=16",
  "--no-parallel-scavenge",
  // Each page's scripts, and the engines in it, run once: to compile what runs a few hundred times for
  // speed takes longer than it saves. What loops for long is compiled all the same.
  "--invocation-count-for-maglev=4000",
  "--invocation-count-for-turbofan=30000",
];

/** A mouse that can hover, as visitors with a wide screen have. */
const pointers = [
  "primaryHoverType=2",
  "availableHoverTypes=2",
  "primaryPointerType=4",
  "availablePointerTypes=4",
];

/** How Chromium is started, but for its folder. */
export const chromiumFlags: readonly string[] = [
  "--remote-debugging-pipe",
  "--headless",
  "--no-startup-window",
  `--window-size=${wide.width},${wide.height}`,
  // It does nothing but what it is asked to.
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
  // A page that nobody sees is looked at like one that is in front.
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
