import {
  type ModelServer,
  type ModelStep,
  type SeenRequest,
  startModelServer,
} from "../../test/support/model-server.ts";

/** The words of the home page, whose heading the model changes. */
const homeTexts = "app/src/content/home.json";
/** Far more steps than anyone asks for in a day. */
const maxSteps = 100_000;

const closing = (what: string): ModelStep => ({ text: `Summary: ${what}.\nCommit: ${what}` });

interface Message {
  role: string;
  content?: string | { text?: string }[] | null;
}

const textOf = ({ content }: Message): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n");

/**
 * What the owner wants as the heading: the words in quotation marks, else the whole instruction. The
 * instruction is the last paragraph of what a user says.
 */
export function headingFor(instruction: string): string {
  const quoted = /["“]([^"”]{1,120})["”](?![^]*["“][^"”]{1,120}["”])/.exec(instruction)?.[1];
  const last =
    instruction
      .trim()
      .split(/\n\s*\n/)
      .at(-1) ?? "";
  return (quoted ?? last).replace(/\s+/g, " ").trim().slice(0, 120);
}

/** Reads the home page's words, makes the instruction their heading, and says so. */
export function answerInstruction({ body }: Pick<SeenRequest, "body">): ModelStep {
  const messages = (body["messages"] ?? []) as Message[];
  const lastUserIndex = messages.findLastIndex(({ role }) => role === "user");
  const results = messages.slice(lastUserIndex + 1).filter(({ role }) => role === "tool");
  const [first] = results;
  if (first === undefined) {
    return {
      text: "I read the home page's words.",
      calls: [{ name: "read", input: { path: homeTexts } }],
    };
  }
  if (results.length > 1) return closing("Changed the home page's heading");
  const search = /"heading": "(?:[^"\\]|\\.)*"/.exec(textOf(first))?.[0];
  if (search === undefined) return closing("The home page has no heading to change");
  const replace = `"heading": ${JSON.stringify(headingFor(textOf(messages[lastUserIndex] ?? { role: "user" })))}`;
  const edit = { path: homeTexts, search, replace };
  return { text: "I change the heading.", calls: [{ name: "edit", input: edit }] };
}

/** Starts a model without intelligence that turns each instruction into a visible change. */
export function startDevModel(): Promise<ModelServer> {
  return startModelServer(Array.from({ length: maxSteps }, () => answerInstruction));
}
