import type { PageControl, PageView, TextRun } from "./page-view.ts";

/** Texts that the change may remove from a page and add to it. */
export interface AllowedTexts {
  removed: readonly string[];
  added: readonly string[];
}

const minimum = { contrast: 4.5, largeContrast: 3, size: 11, target: 24 } as const;
const expectedHits = new Set(["self", "around", "card"]);

const shorten = (text: string) =>
  text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;

function isInside({ x, y, width, height }: TextRun, view: PageView): boolean {
  return (
    x >= -1 && x + width <= Math.max(view.wide, 1) + 1 && y >= -1 && y + height <= view.height + 2
  );
}

/** What has become worse about an existing text; null for nothing. */
function worse(
  before: TextRun,
  after: TextRun,
  views: { before: PageView; after: PageView },
): string | null {
  if (!before.shown) return after.shown ? "is no longer hidden" : null;
  if (!after.shown) return "is no longer visible";
  if (isInside(before, views.before) && !isInside(after, views.after)) return "is outside the page";
  if (expectedHits.has(before.hit) && !expectedHits.has(after.hit))
    return `is covered (${after.hit})`;
  if (before.hit !== "card" && after.hit === "card") return "is covered by a link";
  if (after.size < Math.min(before.size, Math.max(minimum.size, before.size * 0.75)) - 0.01)
    return "has become too small";
  if (after.width < before.width * 0.3 && after.height < before.height * 0.9)
    return "has hardly any space";
  if (before.contrast !== null && after.contrast === null) return "is on top of an image";
  if (
    before.contrast !== null &&
    after.contrast !== null &&
    after.contrast < Math.min(before.contrast, minimum.contrast) - 0.05
  )
    return `is hard to read (contrast ${after.contrast.toFixed(1)})`;
  return null;
}

/** Why visitors can't read a new text; null if they can. */
function unreadable(run: TextRun, view: PageView, overImages: boolean): string | null {
  if (run.closed && !run.shown) return null;
  if (!run.shown) return "can’t be seen";
  if (!isInside(run, view)) return "is outside the page";
  if (!expectedHits.has(run.hit)) return `is covered (${run.hit})`;
  if (run.size < minimum.size) return "is too small";
  if (run.contrast === null) return overImages ? null : "is on top of an image";
  const enough = run.size >= 24 ? minimum.largeContrast : minimum.contrast;
  return run.contrast < enough - 0.05
    ? `is hard to read (contrast ${run.contrast.toFixed(1)})`
    : null;
}

interface Matched {
  pairs: [TextRun, TextRun][];
  gone: TextRun[];
  added: TextRun[];
}

/** Pairs equal texts of two views in order. */
function matchRuns(before: readonly TextRun[], after: readonly TextRun[]): Matched {
  const waiting = Map.groupBy(after, ({ text }) => text);
  const pairs: [TextRun, TextRun][] = [];
  const gone: TextRun[] = [];
  for (const run of before) {
    const next = waiting.get(run.text)?.shift();
    if (next) pairs.push([run, next]);
    else gone.push(run);
  }
  return { pairs, gone, added: [...waiting.values()].flat() };
}

const tidy = (text: string) => text.replace(/\s+/g, " ").trim();

/** Neighbors whose vertical order has changed. */
function turnedAround(
  pairs: readonly [TextRun, TextRun][],
  after: readonly TextRun[],
): TextRun | null {
  const places = new Map(after.map((run, i) => [run, i]));
  for (const [i, pair] of pairs.entries()) {
    const next = pairs[i + 1];
    if (!next || (places.get(next[1]) ?? 0) <= (places.get(pair[1]) ?? 0)) continue;
    const [old, young] = [
      [pair[0], next[0]],
      [pair[1], next[1]],
    ] as const;
    if (!young[0].shown || !young[1].shown || !old[0].shown || !old[1].shown) continue;
    const wasAbove = old[0].y + old[0].height <= old[1].y + 2;
    const isBelow = young[1].y + young[1].height <= young[0].y + 2;
    if (wasAbove && isBelow) return next[1];
  }
  return null;
}

function compareControls(before: readonly PageControl[], after: readonly PageControl[]): string[] {
  const waiting = Map.groupBy(after, ({ key }) => key);
  const problems: string[] = [];
  for (const control of before) {
    const next = waiting.get(control.key)?.shift();
    if (!next) {
      if (control.tag !== "a") problems.push(`a ${control.tag} is gone or does something else`);
    } else if (control.shown !== next.shown && (control.shown || control.tag !== "a")) {
      problems.push(
        `a ${control.tag} ${next.shown ? "is no longer hidden" : "is no longer visible"}`,
      );
    } else if (control.pressable && !next.pressable)
      problems.push(`a ${control.tag} can no longer be clicked`);
    else if (
      control.shown &&
      [next.width / control.width, next.height / control.height].some((ratio) => ratio < 0.5) &&
      Math.min(next.width, next.height) < minimum.target
    ) {
      problems.push(`a ${control.tag} is too small to click`);
    }
  }
  const added = [...waiting.values()].flat().find(({ tag }) => tag !== "a");
  if (added) problems.push(`a new ${added.tag}`);
  return problems;
}

const freeHead =
  /^(?:description|og:title|og:description|og:image|og:image:alt|twitter:title|twitter:description|twitter:image|twitter:image:alt)$/;

function isFreeInHead(entry: string): boolean {
  const [tag, attributes] = JSON.parse(entry) as [string, [string, string][], string];
  const values = new Map(attributes);
  if (tag === "TITLE") return true;
  if (tag === "LINK") return values.get("rel") === "stylesheet";
  return tag === "META" && freeHead.test(values.get("name") ?? values.get("property") ?? "");
}

function compareHeads(before: readonly string[], after: readonly string[]): string[] {
  const [old, young] = [new Set(before), new Set(after)];
  const other = [
    ...after.filter((one) => !old.has(one)),
    ...before.filter((one) => !young.has(one)),
  ].find((one) => !isFreeInHead(one));
  return other === undefined ? [] : [`the page’s head, ${shorten(other)}`];
}

function compareImages({ before, after }: { before: PageView; after: PageView }): string[] {
  const old = new Map(before.images.map((image) => [image.src, image]));
  return after.images.flatMap((image) => {
    const was = old.get(image.src);
    if (!image.loaded && !image.lazy && (was === undefined || was.loaded))
      return ["an image doesn’t load"];
    if (!image.shown && (was === undefined || was.shown)) return ["an image can’t be seen"];
    return was && was.shown && image.width < was.width * 0.4 ? ["an image has become small"] : [];
  });
}

/**
 * What visitors would see worse, or differently from what the change says; null if it can't be
 * determined.
 */
export function compareViews(
  views: { before: PageView; after: PageView },
  { removed }: AllowedTexts,
): string[] | null {
  const { before, after } = views;
  if (before.runs === null || after.runs === null) return null;
  const allowed = removed.map(tidy);
  const { pairs, gone, added } = matchRuns(before.runs, after.runs);
  const problems: string[] = [];
  for (const run of gone) {
    if (!allowed.some((text) => text.includes(run.text)))
      problems.push(`“${shorten(run.text)}” is gone`);
  }
  for (const [old, young] of pairs) {
    const what = worse(old, young, views);
    if (what !== null) problems.push(`“${shorten(old.text)}” ${what}`);
  }
  const overImages = before.runs.some(({ contrast, shown }) => shown && contrast === null);
  for (const run of added) {
    const what = unreadable(run, after, overImages);
    if (what !== null) problems.push(`the new text “${shorten(run.text)}” ${what}`);
  }
  const turned = turnedAround(pairs, after.runs);
  if (turned) problems.push(`“${shorten(turned.text)}” is now above the text that it followed`);
  if (after.width > Math.max(before.width, after.wide) + 1)
    problems.push("the page is wider than the window");
  problems.push(
    ...compareControls(before.controls, after.controls),
    ...compareHeads(before.head, after.head),
    ...compareImages(views),
  );
  return problems;
}
