import {
  type ModelServer,
  type ModelStep,
  type SeenRequest,
  startModelServer,
} from "../../test/support/model-server.ts";

/** The texts of the home page, whose heading the model changes. */
const homeTexts = "app/src/content/home.json";
/** Far more steps than anyone needs in a day. */
const maxSteps = 100_000;

const closing = (what: string): ModelStep => ({ text: `Summary: ${what}.\nCommit: ${what}` });

interface Message {
  role: string;
  content?: string | { text?: string }[] | null;
}

const textOf = ({ content }: Message): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n");

/**
 * The heading that the owner wants: the text in quotation marks, otherwise the whole instruction,
 * which is the last paragraph of the user's message.
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

/** Reads the home page's texts, changes the heading, and reports it. */
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
