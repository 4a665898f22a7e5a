import type { SiteCheck } from "../../check.ts";
import { isOpen } from "../../probe/gates.ts";

/** What is the owner's alone opens for everybody. */
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
      // A run's name is another one each time.
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
