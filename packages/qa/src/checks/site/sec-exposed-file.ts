import type { SiteCheck } from "../../check.ts";

/** Reports a public file with secrets. Its bytes prove what it is. */
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
          ? `Anyone can read ${path}: ${what}. This may be intended.`
          : `Anyone can read ${path}: ${what}.`,
        ...(maybe && { severity: "notice", confidence: "review" }),
        evidence: { path, status, magic },
      };
    }
  },
};
