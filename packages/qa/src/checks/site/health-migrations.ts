import type { SiteCheck } from "../../check.ts";

/** Reports a database that doesn't match this version of Vitrine. */
export const healthMigrations: SiteCheck = {
  id: "health.migrations",
  category: "health",
  severity: "error",
  scope: "probe",
  *run(_crawl, { health }) {
    const migrations = health?.migrations;
    if (!migrations || migrations.status !== "down") return;
    // A component that didn't respond in time said nothing about itself.
    if (migrations.note === "doesn’t respond") return;
    yield {
      page: "/",
      message: "The database schema is out of date. Run “vitrine migrate”.",
      location: { selector: "/api/health" },
      evidence: { applied: migrations.note, expected: "all migrations of this version" },
    };
  },
};
