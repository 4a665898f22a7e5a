import type { Session } from "./devtools.ts";
import type { Visit } from "./visit.ts";
import type { World } from "./world.ts";

type Narrow = Visit["narrow"][number];
type Width = (typeof widths)[number];
export type Measured = Omit<Narrow, "width" | "screenshot" | "offenders"> & {
  width: Width;
  offenders: (Narrow["offenders"][number] & { top: number })[];
};

export const wide = { width: 1440, height: 900 } as const;
const widths = [375, 320] as const;
const heights = { 375: 812, 320: 640 } as const;
const maxScreenshotBytes = 48 * 1024;
/** Nobody sees the window, so it is rendered this much smaller, which doesn't affect the layout. */
const drawnScale = 0.1;

/** Gives a page a screen of this size, in CSS pixels, and a new layout. */
export async function setWidth(
  session: Session,
  { width, height }: { width: number; height: number },
  scale: number = drawnScale,
): Promise<void> {
  await session.send("Emulation.setDeviceMetricsOverride", {
    mobile: false,
    width,
    height,
    screenWidth: width,
    screenHeight: height,
    deviceScaleFactor: 1,
    scale,
    screenOrientation: { angle: 0, type: "landscapePrimary" },
  });
}

/** A small screenshot of an overflowing element with some surroundings; null if it stays large. */
async function takeScreenshot(
  session: Session,
  measured: Measured,
  width: number,
): Promise<string | null> {
  const [worst] = measured.offenders;
  if (!worst) return null;
  const shown = Math.min(Math.max(worst.right + 20, width), width * 3);
  const clip = { x: 0, y: Math.max(0, worst.top - 80), width: shown, height: 420 };
  for (const { scale, quality } of [
    { scale: 0.6, quality: 50 },
    { scale: 0.4, quality: 25 },
  ]) {
    const { data } = await session.send("Page.captureScreenshot", {
      format: "webp",
      quality,
      clip: { ...clip, scale },
      captureBeyondViewport: true,
      optimizeForSpeed: true,
    });
    const address = `data:image/webp;base64,${data}`;
    if (address.length <= maxScreenshotBytes) return address;
  }
  return null;
}

const isWide = ({ scrollWidth, clientWidth, offenders }: Measured): boolean =>
  scrollWidth > clientWidth + 1 && offenders.length > 0;

async function measureAt(
  session: Session,
  world: World,
  width: Width,
  scale?: number,
): Promise<Measured> {
  // Reading waits for the width, so there is no need to wait for the response.
  const [, found] = await Promise.all([
    setWidth(session, { width, height: heights[width] }, scale),
    world.call<Measured>("readNarrow", width),
  ]);
  return { ...found, width };
}

/** Makes the window narrow at two widths and measures what doesn't fit. */
export async function measureNarrow(session: Session, world: World): Promise<Measured[]> {
  const found: Measured[] = [];
  for (const width of widths) found.push(await measureAt(session, world, width));
  return found;
}

/**
 * Measures again what didn't fit: a page whose scripts chose a wide layout is reloaded before it is
 * reported. Takes screenshots of what still doesn't fit. The page is changed afterwards.
 */
export async function confirmNarrow(
  session: Session,
  world: World,
  measured: readonly Measured[],
  reload: () => Promise<unknown>,
): Promise<Narrow[]> {
  const found: Narrow[] = [];
  for (const first of measured) {
    const { width, clipped } = first;
    let now = first;
    if (isWide(first)) {
      // For the screenshot, it is rendered at its real size.
      await setWidth(session, { width, height: heights[width] }, 1);
      await reload();
      now = { ...(await measureAt(session, world, width, 1)), clipped };
    }
    found.push({
      ...now,
      offenders: now.offenders.map(({ top: _top, ...offender }) => offender),
      screenshot: isWide(now) ? await takeScreenshot(session, now, width) : null,
    });
  }
  return found;
}
