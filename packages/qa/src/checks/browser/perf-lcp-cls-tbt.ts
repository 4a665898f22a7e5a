import { isPoor, poor } from "../../browser/vitals.ts";
import type { BrowserCheck } from "../../check.ts";

/** Reports a page that renders late, shifts, or blocks input; only after three measurements. */
export const perfLcpClsTbt: BrowserCheck = {
  id: "perf.lcp-cls-tbt",
  category: "performance",
  severity: "warning",
  *run(visit) {
    const { largest, shift, blockedMs, runs, busy = false } = visit.paint;
    if (runs < 3 || !isPoor(visit.paint)) return;
    const evidence = {
      largestMs: largest ? Math.round(largest.ms) : null,
      shift: Math.round(shift * 1000) / 1000,
      blockedMs: Math.round(blockedMs),
      element: largest?.selector ?? null,
      runs,
    };
    if (!busy && largest && largest.ms > poor.largestMs) {
      const seconds = (largest.ms / 1000).toFixed(1);
      yield {
        at: "largest paint",
        message: `The largest element on the page appears after ${seconds} seconds.`,
        location: { selector: largest.selector },
        evidence,
      };
    }
    if (shift > poor.shift) {
      yield {
        at: "shift",
        message: `The layout shifts while the page loads (${shift.toFixed(2)}; up to ${poor.shift} is good).`,
        evidence,
      };
    }
    if (!busy && blockedMs > poor.blockedMs) {
      yield {
        at: "blocked",
        message: `Scripts block the page for ${Math.round(blockedMs)} milliseconds while it loads.`,
        evidence,
      };
    }
  },
};
