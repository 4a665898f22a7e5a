import type { SiteReport } from "../check.ts";
import type { Finding, Scope } from "../finding.ts";
import type { Observation, Occurrence } from "./job.ts";

/** The maximum number of places kept for each defect. */
const maxOccurrences = 50;

/** What one run has found, one entry per defect. */
export interface Observations {
  add(
    finding: Finding,
    source: { scope: Scope; engine: string },
    also?: SiteReport["otherLocations"],
  ): void;
  readonly count: number;
  all(): Observation[];
}

/** A defect is as severe as its worst place. */
const ranks = { error: 0, warning: 1, notice: 2 } as const;

function takeWorse(known: Observation, finding: Finding): void {
  // A fix that is clear at one place only isn't clear.
  known.isSafe &&= finding.isSafe;
  if (ranks[finding.severity] >= ranks[known.severity]) return;
  const { severity, critical, message, evidence, confidence } = finding;
  Object.assign(known, { severity, critical, message, evidence, confidence });
}

export function makeObservations(): Observations {
  const found = new Map<string, Observation>();
  const pages = new Map<Observation, Set<string>>();
  function addPlace(observation: Observation, place: Occurrence): void {
    const known = pages.get(observation) ?? new Set();
    pages.set(observation, known.add(place.page));
    observation.pageCount = known.size;
    observation.occurrenceCount++;
    if (observation.occurrences.length < maxOccurrences) observation.occurrences.push(place);
  }
  return {
    add({ location, cause: _cause, needsScript: _needsScript, ...finding }, source, also = []) {
      const known = found.get(finding.fingerprint);
      const none = { occurrences: [], occurrenceCount: 0, pageCount: 0 };
      const observation = known ?? { ...finding, ...source, ...none };
      if (known) takeWorse(known, { location, ...finding });
      else found.set(finding.fingerprint, observation);
      addPlace(observation, { page: finding.page, ...location });
      for (const other of also) addPlace(observation, other);
    },
    get count() {
      return found.size;
    },
    all: () => [...found.values()],
  };
}
