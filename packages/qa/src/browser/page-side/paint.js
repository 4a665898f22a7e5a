/* What was painted when. Call before scrolling, resizing, or pressing keys. */
import { noteImages } from "./images.js";
import { frames, selectorOf } from "./place.js";
import { vitrine } from "./watch.js";

/** The time of our own work, whose blocking isn't the page's. */
const ours = { from: 0, to: 0 };
/** When the page was last painted while waiting. */
let shownAt = 0;

/** Initializes the accessibility engines and has the page painted while waiting for it. */
export const makeReady = async () => {
  ours.from = performance.now();
  // oxlint-disable-next-line no-underscore-dangle -- as bundle.ts and run-engines.ts call them
  if (!globalThis.__vitrine) globalThis.__vitrineEngines?.();
  ours.to = performance.now();
  await frames(2);
  shownAt = performance.now();
};

const readPaint = () => {
  const start = vitrine.first ?? 0;
  const blocked = vitrine.tasks
    .filter(([at, length]) => at + length > start)
    .filter(([at, length]) => at > ours.to || at + length < ours.from)
    .reduce((sum, [, length]) => sum + Math.max(0, length - 50), 0);
  const largest = vitrine.largest;
  return {
    first: vitrine.first,
    largest: largest && {
      ms: largest.startTime,
      selector: largest.element ? selectorOf(largest.element) : "",
      url: largest.url || null,
    },
    shift: vitrine.shift,
    blockedMs: blocked,
  };
};

const readBlocking = () =>
  performance
    .getEntriesByType("resource")
    .filter((entry) => entry.renderBlockingStatus === "blocking")
    .slice(0, 50)
    .map((entry) => ({
      url: entry.name,
      ms: Math.round(entry.duration),
      kind: entry.initiatorType === "script" ? "script" : "style",
    }));

/** Whether everything that has loaded is painted. */
const isPainted = () =>
  shownAt > 0 &&
  performance.getEntriesByType("resource").every(({ responseEnd }) => responseEnd < shownAt);

/** The latest content is painted first, and paint events are reported a little later. */
export const readStart = async () => {
  if (!isPainted()) await frames(2);
  for (let more = 0; more < 10 && vitrine.largest === null; more += 1) await frames(1);
  noteImages();
  return {
    url: location.href,
    title: document.title,
    paint: readPaint(),
    renderBlocking: readBlocking(),
    violations: vitrine.violations,
  };
};

/** Scrolls through the page once to load lazy content, and back to the top. */
export const wake = async () => {
  let waiting = 0;
  for (const image of document.querySelectorAll("img[loading=lazy]")) {
    if (!image.complete) waiting += 1;
    image.loading = "eager";
  }
  const { scrollHeight } = document.documentElement;
  // Without scripts, nothing else is lazy.
  const steps =
    document.scripts.length === 0 ? 0 : Math.min(15, Math.ceil(scrollHeight / innerHeight) - 1);
  for (let step = 1; step <= steps; step += 1) {
    scrollTo({ top: step * innerHeight, behavior: "instant" });
    await frames(1);
  }
  if (steps > 0) {
    scrollTo({ top: 0, behavior: "instant" });
    await frames(1);
  }
  return waiting;
};

/** Leaves nothing behind for the next page, nor anything to lay out until then. */
export const forget = () => {
  document.documentElement?.style?.setProperty("display", "none", "important");
  try {
    localStorage.clear();
    sessionStorage.clear();
  } catch {
    // A page without storage.
  }
};
