import { AppError } from "../../kit/errors.ts";

const toldAt = 3;
const failsAt = 5;

/** Notices a model that makes the same call again and again. */
export interface RepetitionWatch {
  /** A sentence for the model at the third identical call, else null. Throws AppError at the fifth. */
  see(tool: string, input: unknown): string | null;
  /** A file changed: the same call may now have another answer. */
  reset(): void;
}

function keyOf(tool: string, input: unknown): string {
  const sorted = JSON.stringify(input, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return `${tool} ${sorted}`;
}

export function makeRepetitionWatch(): RepetitionWatch {
  const seen = new Map<string, number>();
  return {
    see(tool, input) {
      const key = keyOf(tool, input);
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      if (times >= failsAt) {
        throw new AppError(
          "upstream_failed",
          `The model made the same call ${failsAt} times (${tool}) and got nowhere.`,
          { details: { limit: "repetition", tool } },
        );
      }
      if (times !== toldAt) return null;
      return `You have made exactly this call ${toldAt} times and nothing changed since. Do something else, or finish.`;
    },
    reset: () => seen.clear(),
  };
}
