import type { SiteCheck } from "../../check.ts";

/** The database is not as this version of the program needs it. */
export const healthMigrations: SiteCheck = {
  id: "health.migrations",
  category: "health",
  severity: "error",
  scope: "probe",
  *run(_crawl, { health }) {
    const migrations = health?.migrations;
    if (!migrations || migrations.status !== "down") return;
    // A part that gives no answer in time has said nothing of itself.
    if (migrations.note === "doesn’t respond") return;
    yield {
      page: "/",
      message: "The database schema is out of date. Run “vitrine migrate”.",
      location: { selector: "/api/health" },
      evidence: { applied: migrations.note, expected: "all migrations of this version" },
    };
  },
};
