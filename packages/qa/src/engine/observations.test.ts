import { expect, test } from "vitest";
import { type CheckKind, toFinding } from "../check.ts";
import { makeObservations } from "./observations.ts";

const source = { scope: "page", engine: "test" } as const;
const check: CheckKind = {
  id: "health.api",
  category: "health",
  severity: "error",
  critical: true,
};

test("a defect is as severe as at its worst place, and safe to fix only if it is at every place", () => {
  const observations = makeObservations();
  const seen = (severity: "warning" | "error", safe: boolean) =>
    toFinding(check, "/", { target: "/api", severity, safe, message: severity, evidence: {} });
  observations.add(seen("warning", true), source);
  observations.add(seen("error", false), source);
  observations.add(seen("warning", true), source);
  expect(observations.all()).toMatchObject([
    { severity: "error", critical: true, isSafe: false, message: "error", occurrenceCount: 3 },
  ]);
});
