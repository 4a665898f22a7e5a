import {
  type ModelServer,
  type ModelStep,
  type SeenRequest,
  startModelServer,
} from "../support/model-server.ts";

/** A run from the console writes two files, which go live together or not at all. */
export const pairPaths = (mark: string) =>
  ["a", "b"].map((half) => `app/public/marks/${mark}-${half}.txt`);

export const pairInstruction = (mark: string) => `Write the pair of files for ${mark}.`;

/** A task changes the text of the first button of the home page. */
export const textInstruction = (mark: string) => `Let the first button say ${mark}.`;

export const homeTexts = "app/src/content/home.json";

/** The first button's text in a home page or its source. */
export const buttonTexts = /See the work(?: [a-z0-9]+)?/;

const opening = (mark: string, step: number) => `I work on ${mark}, step ${step}.`;

function writePair(mark: string, raw: string): ModelStep {
  if (raw.includes(opening(mark, 1))) {
    return { text: `Summary: Wrote the pair ${mark}.\nCommit: Write the pair ${mark}` };
  }
  const calls = pairPaths(mark).map((path) => {
    return { name: "write", input: { path, content: `${mark}\n` } };
  });
  return { text: opening(mark, 1), calls };
}

function changeTexts(mark: string, raw: string): ModelStep {
  if (!raw.includes(opening(mark, 1))) {
    return { text: opening(mark, 1), calls: [{ name: "read", input: { path: homeTexts } }] };
  }
  if (!raw.includes(opening(mark, 2))) {
    const instruction = raw.slice(raw.lastIndexOf(opening(mark, 1)));
    const search = buttonTexts.exec(instruction)?.[0] ?? "See the work";
    const replace = `See the work ${mark}`;
    const input = { path: homeTexts, search: `"${search}"`, replace: `"${replace}"` };
    return { text: opening(mark, 2), calls: [{ name: "edit", input }] };
  }
  return { text: `Summary: Changed the words.\nCommit: Let the first button say ${mark}` };
}

/** The last instruction in a request to the model; earlier ones are history. */
function response({ raw }: SeenRequest): ModelStep {
  const asked = [
    ...raw.matchAll(/(Write the pair of files for|Let the first button say) (\w+)\./g),
  ];
  const [, what, mark = ""] = asked.at(-1) ?? [];
  if (what === undefined) return { text: "Summary: Nothing to do.\nCommit: Do nothing" };
  return what.startsWith("Write") ? writePair(mark, raw) : changeTexts(mark, raw);
}

/** Far more steps than a run of hours needs. */
const steps = 200_000;

/** A model that follows the instructions above, even many at once. */
export function startScriptedModel(): Promise<ModelServer> {
  return startModelServer(Array.from({ length: steps }, () => response));
}
