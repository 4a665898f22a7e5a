import { checkAccessibility } from "../a11y/run-engines.ts";
import { type CropBudget, takeCrops } from "./crops.ts";
import type { ConsoleWatch } from "./console.ts";
import type { Session } from "./devtools.ts";
import { findListeners, focusReaction, walkFocus } from "./focus.ts";
import { confirmNarrow, measureNarrow } from "./narrow.ts";
import { VisitError } from "./visit-error.ts";
import type { Proxy } from "./proxy.ts";
import type { Traffic } from "./traffic.ts";
import type { Visit } from "./visit.ts";
import type { World } from "./world.ts";

/** A tab's tools for checking a page. */
export interface View {
  frameId: string;
  session: Session;
  world: World;
  traffic: Traffic;
  console: ConsoleWatch;
  proxy: Proxy;
  /** How often the page has navigated since `open`, including reloads. */
  navigations(): number;
  /** Time limit for loading, in ms. */
  phaseMs: number;
  /** What is left of the run's screenshots; null if none are wanted. */
  crops: CropBudget | null;
}

const idleMs = 60;
const maxWaitMs = 3000;

/**
 * Loads a page and waits until it is idle, running `meanwhile`. False if it was still loading when
 * the time was up.
 */
async function open(
  view: View,
  url: string,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<boolean> {
  const { session, world, traffic } = view;
  view.proxy.start();
  traffic.start();
  view.console.start();
  world.renew();
  const { promise: loaded, resolve } = Promise.withResolvers<void>();
  session.once("Page.loadEventFired", () => resolve());
  const { errorText, isDownload } = await session.send("Page.navigate", { url });
  if (isDownload === true) throw new VisitError("it is a download");
  if (errorText) throw new VisitError(`it doesn't load (${errorText})`);
  let isLoaded = true;
  const late = setTimeout(() => {
    isLoaded = false;
    // What is there by now is what people see.
    void session.send("Page.stopLoading").catch(() => {});
    resolve();
  }, view.phaseMs);
  await loaded;
  clearTimeout(late);
  await Promise.all([traffic.waitUntilIdle(idleMs, maxWaitMs), meanwhile()]);
  return isLoaded;
}

/** Runs the engines on an empty page, so that they are compiled for all pages of a tab. */
export async function warmUp({ session, world }: View): Promise<void> {
  world.renew();
  await session.send("Page.navigate", { url: "about:blank" });
  await checkAccessibility(session, await world.name());
}

interface Start {
  url: string;
  paint: Omit<Visit["paint"], "runs">;
  renderBlocking: Visit["renderBlocking"];
  violations: Visit["violations"];
}

const without = (url: string): string => url.split("#")[0] ?? url;

/** A page may reload itself; a navigation leads to another page. */
function assertThere(view: View, requestedUrl: string, start: Start): void {
  const status = view.traffic.status();
  if (status !== null && status >= 400) throw new VisitError(`it returns ${status}`);
  if (view.proxy.isFull()) throw new VisitError("it loads more than the limit for a page");
  if (view.navigations() <= 1) return;
  if (without(start.url) === without(requestedUrl)) return;
  throw new VisitError(`it redirects to ${start.url.slice(0, 200)}`);
}

/** Only how fast a page is painted. */
export async function measurePaint(view: View, url: string): Promise<Visit["paint"]> {
  await open(view, url);
  const start = await view.world.call<Start>("readStart");
  assertThere(view, url, start);
  return { ...start.paint, runs: 1 };
}

/** Checks a page in every way. Throws `VisitError`, and the errors of a browser that is gone. */
export async function visitPage(view: View, path: string, url: string): Promise<Visit> {
  const { session, world, traffic } = view;
  // A navigation discards the engines; they start again when used.
  const isLoaded = await open(view, url, () => world.call("makeReady").catch(() => {}));
  const start = await world.call<Start>("readStart");
  assertThere(view, url, start);
  traffic.markLate();
  const waiting = await world.call<number>("wake");
  if (waiting > 0) await traffic.waitUntilIdle(idleMs, maxWaitMs);
  // Content that a failed script would have added isn't missing.
  const isWhole = isLoaded && traffic.isComplete();
  const shown = isWhole ? await world.call<Visit["rendered"]>("readRendered") : null;
  const [smallTargets, listeners] = await Promise.all([
    world.call<Visit["smallTargets"]>("readWide"),
    findListeners(session),
  ]);

  view.console.pause(true);
  const [a11y, reaction] = await Promise.all([
    checkAccessibility(session, await world.name()),
    focusReaction(session, listeners),
  ]);
  view.console.pause(false);

  const focus = await walkFocus(session, world, reaction);
  const crops = view.crops
    ? await takeCrops(session, world, { a11y, smallTargets }, view.crops)
    : undefined;
  const measured = await measureNarrow(session, world);
  type Measured = Omit<Visit["images"][number], "wireBytes" | "vector">;
  const imageSizes = await world.call<Measured[]>("readImages");
  const images = imageSizes.map((image) => Object.assign(image, traffic.fileOf(image.url)));
  // Requests so far were made while the page opened.
  const seen = {
    console: view.console.entries(),
    failedRequests: traffic.failed((address) => view.proxy.isRefused(address)),
    requests: traffic.requests(),
  };
  if (view.proxy.isFull()) throw new VisitError("it loads more than the limit for a page");
  const narrow = await confirmNarrow(session, world, measured, () => open(view, url));
  await world.call("forget");
  return {
    page: path,
    url,
    status: traffic.status(),
    a11y,
    ...seen,
    violations: start.violations,
    paint: { ...start.paint, runs: 1 },
    renderBlocking: start.renderBlocking,
    narrow,
    rendered: shown,
    images,
    smallTargets,
    focus,
    ...(crops && { crops }),
    notChecked: a11y.notChecked,
  };
}
