import { type SeenRunner, silentAfterMs } from "./store.ts";

/** For how many beats of ours one must not be heard of whose last beat is long ago. */
const enoughLooks = 4;
/** The same for one whose last beat looks recent: the database's clock may have been set back. */
const manyLooks = 13;

/**
 * What this runner has seen of the others: at how many of its own beats, one after the other, each
 * had said nothing new. That says more than any clock: neither a jump of the time nor a pause of
 * this very process or of the database makes others look silent.
 */
export function makeWatch() {
  let silence = new Map<string, { seenAt: string; looks: number }>();
  return {
    look(runners: readonly SeenRunner[]): void {
      silence = new Map(
        runners.map(({ id, seenAt }) => {
          const before = silence.get(id);
          return [id, { seenAt, looks: before?.seenAt === seenAt ? before.looks + 1 : 0 }];
        }),
      );
    },
    /** After a look that failed nobody can tell for how long the others could not speak either. */
    reset(): void {
      silence = new Map();
    },
    isSilent({ id, seenAt, now }: SeenRunner): boolean {
      const last = silence.get(id);
      if (last?.seenAt !== seenAt) return false;
      const overdue = Date.parse(now) - Date.parse(seenAt) > silentAfterMs;
      return last.looks >= (overdue ? enoughLooks : manyLooks);
    },
  };
}

export type Watch = ReturnType<typeof makeWatch>;
