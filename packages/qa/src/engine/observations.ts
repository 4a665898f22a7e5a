import type { SiteReport } from "../check.ts";
import type { Finding, Scope } from "../finding.ts";
import type { Observation, Occurrence } from "./job.ts";

/** The maximum number of places kept for each defect. */
const maxOccurrences = 50;

/** The maximum number of former fingerprints for each defect. */
const maxFormer = 1000;

type Observed = Pick<Finding, "message" | "target">;

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
const confidenceRanks = { confirmed: 0, likely: 1, review: 2 } as const;

const rankOf = ({ severity, confidence }: Pick<Finding, "severity" | "confidence">): number =>
  ranks[severity] * 3 + confidenceRanks[confidence];

/** The message about one element of a component, with the number of the others. */
function withOthers(message: string, messages: ReadonlySet<string>): string {
  const others = messages.size - 1;
  if (others < 1) return message;
  return `${message} The same goes for ${others === 1 ? "a similar element" : `${others} similar elements`}.`;
}

function takeWorse(known: Observation, finding: Finding): void {
  // A fix that is clear at one place only isn't clear.
  known.isSafe &&= finding.isSafe;
  if (rankOf(finding) >= rankOf(known)) return;
  const { severity, critical, message, evidence, confidence } = finding;
  Object.assign(known, { severity, critical, message, evidence, confidence });
}

export function makeObservations(): Observations {
  const found = new Map<string, Observation>();
  const pages = new Map<Observation, Set<string>>();
  const former = new Map<Observation, Set<string>>();
  const messages = new Map<Observation, Set<string>>();
  function addPlace(observation: Observation, place: Occurrence): void {
    const known = pages.get(observation) ?? new Set();
    pages.set(observation, known.add(place.page));
    observation.pageCount = known.size;
    observation.occurrenceCount++;
    if (observation.occurrences.length < maxOccurrences) observation.occurrences.push(place);
  }
  function addFormer(observation: Observation, formerly: Finding["formerly"] = []): void {
    const known = former.get(observation) ?? new Set();
    for (const one of formerly) if (known.size < maxFormer) known.add(one);
    former.set(observation, known);
  }
  function addMessage(observation: Observation, { message, target }: Observed): void {
    const known = messages.get(observation) ?? new Set();
    if (known.size < maxFormer) known.add(message);
    messages.set(observation, known);
    // It is about the elements, not about what one of them shows.
    if (observation.target !== target) observation.target = null;
  }
  return {
    add(added, source, also = []) {
      const { location, cause: _cause, needsScript: _needsScript, formerly, ...more } = added;
      const { placeFingerprint: _place, isOfComponent, ...finding } = more;
      const known = found.get(finding.fingerprint);
      const none = { occurrences: [], occurrenceCount: 0, pageCount: 0 };
      const observation = known ?? { ...finding, ...source, ...none };
      if (known) takeWorse(known, added);
      else found.set(finding.fingerprint, observation);
      addFormer(observation, formerly);
      if (isOfComponent) addMessage(observation, finding);
      addPlace(observation, { page: finding.page, ...location });
      for (const other of also) addPlace(observation, other);
    },
    get count() {
      return found.size;
    },
    all() {
      for (const [observation, known] of former) {
        if (known.size > 0) observation.formerly = [...known];
      }
      return [...found.values()].map((observation) => {
        const known = messages.get(observation);
        if (!known || known.size < 2) return observation;
        const message = withOthers(observation.message, known);
        return Object.assign({}, observation, { message });
      });
    },
  };
}
