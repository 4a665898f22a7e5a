import type { SiteCheck } from "../../check.ts";
import { isOpen } from "../../probe/gates.ts";

/** Reports something that only the owner may open but anyone can. */
export const healthAdminGate: SiteCheck = {
  id: "health.admin-gate",
  category: "health",
  severity: "error",
  critical: true,
  scope: "probe",
  *run(_crawl, { gates }) {
    for (const gate of gates) {
      if (!isOpen(gate)) continue;
      const { path, expected, response } = gate;
      // Run ids differ each time.
      const target = path.replace(/^\/_preview\/[^/]+\//, "/_preview/…/");
      yield {
        page: "/",
        target,
        message: `${target} opens without signing in.`,
        evidence: { path, expected, got: response.status },
      };
    }
  },
};
