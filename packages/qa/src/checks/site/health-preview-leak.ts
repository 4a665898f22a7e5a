import type { SiteCheck } from "../../check.ts";
import { isOpen } from "../../probe/gates.ts";

/** Reports a private preview that anyone who knows its address can open. */
export const healthPreviewLeak: SiteCheck = {
  id: "health.preview-leak",
  category: "health",
  severity: "error",
  critical: true,
  scope: "probe",
  *run(_crawl, { previews }) {
    const open = previews.filter(isOpen);
    const [first] = open;
    if (!first) return;
    yield {
      page: "/",
      message: "A private preview opens without signing in.",
      location: { selector: "/_preview/" },
      evidence: { url: first.response.url, status: first.response.status, previews: open.length },
    };
  },
};
