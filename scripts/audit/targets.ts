/** The measurements of one page. Times in ms, sizes in bytes as transferred, scores 0–100. */
export interface PageFigures {
  /** Address below the site, e.g. `/about/`. */
  path: string;
  /** The status of its response. */
  status: number;
  /** It asks not to be listed; then Lighthouse's indexability audit doesn't apply. */
  isNoindex: boolean;
  /**
   * Performance, accessibility, best practices, SEO: each the median of the runs; empty without
   * runs.
   */
  scores: readonly number[];
  lcp: number;
  cls: number;
  tbt: number;
  bytes: number;
  requests: number;
  /** The document alone, compressed with gzip. */
  htmlBytes: number;
  /** What a window of 1440 px loads initially. */
  wideBytes: number;
  wideRequests: number;
  /** Violated axe rules: `390 dark color-contrast (3): a.more`. */
  axe: readonly string[];
  /** What overflows or is cut off at 320 px, by selector. */
  overflow: readonly string[];
  /** Requests to other origins. */
  foreign: readonly string[];
  /** The size of each inline script, and whether the page's policy contains its hash. */
  inlineScripts: readonly { bytes: number; isHashed: boolean }[];
  /** By category, the audits that lowered a score in at least half of the runs. */
  failed: readonly (readonly string[])[];
}

/** A target for the site. */
interface Target {
  name: string;
  /** The target in words. */
  wanted: string;
  /** What measures it. */
  by: "lighthouse" | "audit";
  /** Describes the actual value; null if the target is met or doesn't apply to the page. */
  missed(page: PageFigures): string | null;
}

const kilo = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

function upperBound(
  name: string,
  max: number,
  figure: (page: PageFigures) => number,
  say: (value: number) => string,
  isMeant: (page: PageFigures) => boolean = () => true,
): Target {
  return {
    name,
    by: "audit",
    wanted: `≤ ${say(max)}`,
    missed: (page) => (isMeant(page) && figure(page) > max ? say(figure(page)) : null),
  };
}

function none(name: string, list: (page: PageFigures) => readonly string[]): Target {
  return { name, by: "audit", wanted: "none", missed: (page) => list(page).join("; ") || null };
}

const isHome = ({ path }: PageFigures) => path === "/";
const isProject = ({ path }: PageFigures) => /^\/projects\/[^/]+\/$/.test(path);
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

const thousandths = (value: number) => value.toFixed(3);

const categories = ["performance", "accessibility", "best practices", "SEO"];

/** The design's targets for every page; the first four are Lighthouse's categories. */
export const targets: readonly Target[] = [
  ...categories.map((name, index): Target => ({
    name: `Lighthouse ${name}`,
    by: "lighthouse",
    wanted: "100",
    missed({ scores, failed }) {
      const score = scores[index];
      return score === undefined || score >= 100
        ? null
        : `${score} (${failed[index]?.join(", ") || "now and then"})`;
    },
  })),
  { ...upperBound("LCP", 1500, ({ lcp }) => lcp, seconds), by: "lighthouse" },
  { ...upperBound("CLS", 0.01, ({ cls }) => cls, thousandths), by: "lighthouse" },
  upperBound(
    "home, bytes",
    120_000,
    ({ bytes, wideBytes }) => Math.max(bytes, wideBytes),
    kilo,
    isHome,
  ),
  upperBound(
    "home, requests",
    10,
    ({ requests, wideRequests }) => Math.max(requests, wideRequests),
    String,
    isHome,
  ),
  upperBound(
    "case study, bytes",
    150_000,
    ({ bytes, wideBytes }) => Math.max(bytes, wideBytes),
    kilo,
    isProject,
  ),
  upperBound("HTML, gzip", 8000, ({ htmlBytes }) => htmlBytes, kilo),
  none("axe violations, 390 and 1440 px, both themes", ({ axe }) => axe),
  none("overflow at 320 px", ({ overflow }) => overflow),
  none("requests to other origins", ({ foreign }) => foreign),
  {
    name: "inline scripts",
    by: "audit",
    wanted: "at most one, ≤ 0.5 kB, its hash in the policy",
    missed({ inlineScripts }) {
      const isFine =
        inlineScripts.length <= 1 &&
        inlineScripts.every(({ bytes, isHashed }) => bytes <= 500 && isHashed);
      if (isFine) return null;
      return inlineScripts
        .map(({ bytes, isHashed }) => `${bytes} B${isHashed ? "" : " without a hash"}`)
        .join(", ");
    },
  },
];

/** A target that a page misses. */
export interface Miss {
  path: string;
  target: string;
  wanted: string;
  found: string;
}

/** All missed targets of the pages, in the order of the targets. */
export function missesOf(pages: readonly PageFigures[]): Miss[] {
  return targets.flatMap(({ name, wanted, missed }) =>
    pages.flatMap((page) => {
      const found = missed(page);
      return found === null ? [] : [{ path: page.path, target: name, wanted, found }];
    }),
  );
}

/** The median of these numbers; for an even count the mean of the middle two, for none 0. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? 0;
  return (low + (sorted[Math.floor(middle)] ?? low)) / 2;
}
