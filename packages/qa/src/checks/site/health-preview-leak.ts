import type { SiteCheck } from "../../check.ts";
import { isOpen } from "../../probe/gates.ts";

/** A private preview opens for everybody who knows its address. */
export const healthPreviewLeak: SiteCheck = {
  id: "health.preview-leak",
  category: "health",
  severity: "error",
  critical: true,
  scope: "probe",
  *look(_crawl, { previews }) {
    const open = previews.filter(isOpen);
    const [first] = open;
    if (!first) return;
    yield {
      page: "/",
      message: "A private preview opens without signing in.",
      place: { selector: "/_preview/" },
      evidence: { url: first.answer.url, status: first.answer.status, previews: open.length },
    };
  },
};
