import type { SiteCheck, SiteReport } from "../../check.ts";
import type { HealthProbe } from "../../probe/probes.ts";

function* faultsOf({
  response,
  invalid,
  status,
  down,
}: HealthProbe): Generator<Omit<SiteReport, "page">> {
  const evidence = { status: response.status, ms: Math.round(response.ms), envelope: invalid };
  // A rate limit says nothing about its health.
  if (response.status === 429) return;
  if (response.status === null) {
    yield {
      at: "answer",
      message: "The server’s health can’t be read: it didn’t respond.",
      evidence,
    };
  } else if (invalid) {
    const message = `The server’s health can’t be read: status ${response.status}, ${invalid.got} at ${invalid.path}.`;
    yield { at: "answer", message, evidence };
  } else if (status === "down") {
    const parts = down.map(({ name }) => name).join(", ");
    const message = `The server reports that it is down${parts === "" ? "" : `: ${parts}`}.`;
    yield { at: "status", message, evidence: { ...evidence, down } };
  } else {
    for (const { name, note } of down) {
      const message = `A part of the server is down: ${name}${note === "" ? "" : ` (${note})`}.`;
      yield {
        at: name,
        severity: "warning",
        message,
        evidence: { ...evidence, down: [{ name, note }] },
      };
    }
  }
}

/** Reports that Vitrine's own health check fails or doesn't respond. */
export const healthApi: SiteCheck = {
  id: "health.api",
  category: "health",
  severity: "error",
  critical: true,
  scope: "probe",
  *run(_crawl, { health }) {
    if (!health) return;
    for (const fault of faultsOf(health)) {
      yield { page: "/", location: { selector: "/api/health" }, ...fault };
    }
  },
};
