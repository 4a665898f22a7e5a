import type { SiteCheck } from "../../check.ts";

/** A file that tells strangers what they must not know. Its bytes have proved what it is. */
export const secExposedFile: SiteCheck = {
  id: "sec.exposed-file",
  category: "security",
  severity: "error",
  critical: true,
  scope: "probe",
  *run(_crawl, { exposed }) {
    for (const { path, what, status, magic, maybe } of exposed) {
      yield {
        page: "/",
        target: path,
        message: maybe
          ? `Everybody can read ${path}: ${what}. It may be meant so.`
          : `Everybody can read ${path}: ${what}.`,
        ...(maybe && { severity: "notice", confidence: "review" }),
        evidence: { path, status, magic },
      };
    }
  },
};
