import { isSameOrigin, formatUrl } from "../../browser/format.ts";
import { type BrowserCheck, quote } from "../../check.ts";

/**
 * Reports a render-blocking script, or a render-blocking style sheet of another site. The site's
 * own style sheets are meant to come first.
 */
export const perfRenderBlocking: BrowserCheck = {
  id: "perf.render-blocking",
  category: "performance",
  severity: "notice",
  *run(visit) {
    for (const { url, ms, kind } of visit.renderBlocking) {
      if (kind === "style" && isSameOrigin(visit, url)) continue;
      const target = formatUrl(visit, url);
      yield {
        target,
        shared: true,
        message:
          kind === "script"
            ? `The page stays blank until the script ${quote(target)} has loaded and run.`
            : `The page stays blank until another site has delivered ${quote(target)}.`,
        evidence: { urls: [target], ms },
      };
    }
  },
};
