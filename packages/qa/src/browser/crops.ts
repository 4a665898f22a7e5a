import type { Session } from "./devtools.ts";
import { setWidth, wide } from "./narrow.ts";
import type { A11yIssue, Crop, Visit } from "./visit.ts";
import type { World } from "./world.ts";

/** How many more screenshots a run may take; shared by all tabs. */
export interface CropBudget {
  crops: number;
  /** Characters of all data URLs. */
  length: number;
  /** What has one already: the same defect on another page needs no other. */
  seen: Set<string>;
}

/** At most 60 screenshots with 4 MB together. */
export const makeCropBudget = (): CropBudget => ({ crops: 60, length: 4_000_000, seen: new Set() });

const maxPerPage = 8;
const maxLength = 96 * 1024;
/** In CSS pixels. */
const padding = { x: 120, y: 48 } as const;
const maxSize = { width: 720, height: 400 };
/** In pixels of the image. */
const maxImageWidth = 480;

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const impacts = { critical: 0, serious: 1, moderate: 2, minor: 3 } as const;

const weightOf = ({ confidence, impact }: A11yIssue): number =>
  (confidence === "review" ? 4 : 0) + impacts[impact];

/** The selectors of the elements that findings will be about, the most severe first. */
function wantedSelectors(
  { issues }: Visit["a11y"],
  smallTargets: Visit["smallTargets"],
  { seen }: CropBudget,
): string[] {
  const wanted = [
    ...issues
      .filter(({ inFrame }) => inFrame !== true)
      .toSorted((a, b) => weightOf(a) - weightOf(b))
      .map(({ rule, locator, text, selector, contrast }) => {
        const what = contrast ? `${contrast.front} on ${contrast.back}` : `${locator} ${text}`;
        return { key: `${rule} ${what}`, selector };
      }),
    ...smallTargets.map(({ locator, selector }) => ({ key: `target ${locator}`, selector })),
  ];
  const chosen = new Set<string>();
  for (const { key, selector } of wanted) {
    if (chosen.size >= maxPerPage) break;
    // The whole page shows nothing.
    if (seen.has(key) || /^(?:html|body|head)?$/.test(selector)) continue;
    seen.add(key);
    chosen.add(selector);
  }
  return [...chosen];
}

/** The part of the page around an element; a large element is cut off at its beginning. */
function clipOf(box: Box): Box {
  const left = Math.max(0, Math.min(box.left - padding.x, wide.width - 1));
  const top = Math.max(0, box.top - padding.y);
  const right = Math.min(box.left + box.width + padding.x, wide.width);
  const width = Math.max(1, Math.min(maxSize.width, right - left));
  return { left, top, width, height: Math.min(maxSize.height, box.height + 2 * padding.y) };
}

const percent = (part: number, whole: number): number =>
  Math.round(Math.max(0, Math.min(100, (part / whole) * 100)) * 10) / 10;

function markOf(box: Box, clip: Box): Crop["mark"] {
  const left = percent(box.left - clip.left, clip.width);
  const top = percent(box.top - clip.top, clip.height);
  return {
    left,
    top,
    width: Math.min(100 - left, percent(box.width, clip.width)),
    height: Math.min(100 - top, percent(box.height, clip.height)),
  };
}

async function takeCrop(session: Session, selector: string, box: Box): Promise<Crop | null> {
  const clip = clipOf(box);
  const scale = Math.min(1, maxImageWidth / clip.width);
  for (const quality of [60, 25]) {
    const { data } = await session.send("Page.captureScreenshot", {
      format: "webp",
      quality,
      clip: { x: clip.left, y: clip.top, width: clip.width, height: clip.height, scale },
      captureBeyondViewport: true,
      optimizeForSpeed: true,
    });
    const image = `data:image/webp;base64,${data}`;
    if (image.length > maxLength) continue;
    const [width, height] = [Math.round(clip.width * scale), Math.round(clip.height * scale)];
    return { selector, image, width, height, mark: markOf(box, clip) };
  }
  return null;
}

/**
 * Screenshots of the elements with issues on a page that is shown wide, within the budget. None if
 * the page can't be captured: a report without them is complete, too.
 */
export async function takeCrops(
  session: Session,
  world: World,
  { a11y, smallTargets }: Pick<Visit, "a11y" | "smallTargets">,
  budget: CropBudget,
): Promise<Crop[]> {
  const crops: Crop[] = [];
  if (budget.crops <= 0) return crops;
  try {
    const selectors = wantedSelectors(a11y, smallTargets, budget);
    if (selectors.length === 0) return crops;
    // Until then, it is rendered smaller.
    await setWidth(session, wide, 1);
    const boxes = await world.call<(Box | null)[]>("readBoxes", selectors);
    for (const [index, selector] of selectors.entries()) {
      const box = boxes[index];
      if (!box || budget.crops <= 0) continue;
      budget.crops -= 1;
      const crop = await takeCrop(session, selector, box);
      if (!crop || crop.image.length > budget.length) continue;
      budget.length -= crop.image.length;
      crops.push(crop);
    }
  } catch {
    // Whatever ended the page ends the visit, too.
  }
  return crops;
}
