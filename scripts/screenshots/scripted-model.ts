import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { TestInstance } from "../../test/support/instance.ts";
import {
  type ModelStep,
  type Script,
  type SeenRequest,
  startModelServer,
} from "../../test/support/model-server.ts";

const homeFile = "app/src/content/home.json";
const themeFile = "app/src/styles/theme.css";
const footerFile = "app/src/components/Footer.astro";

/** What the agent does in the video, with the actual texts of the site. */
export interface EditorScript {
  instruction: string;
  heading: string;
  script: Script;
}

/** Delays a step as long as a model would take. */
const after = (ms: number, step: ModelStep) => async () => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return step;
};

const call = (name: string, input: object) => ({ name, input });

/** Reads two files, changes a heading and a color, checks the result, and reports. */
async function mainJob(instance: TestInstance): Promise<EditorScript> {
  const read = (path: string) => readFile(join(instance.paths.content, path), "utf8");
  const { heading: old } = JSON.parse(await read(homeFile)) as { heading: string };
  const [accent = ""] = /--accent: light-dark\([^)]*\);/.exec(await read(themeFile)) ?? [];
  const heading = "Software that a small team learns in one morning.";
  const quoted = JSON.stringify;
  return {
    instruction: "Open with what clients get from me, and make the accent a warm red.",
    heading,
    script: [
      after(600, {
        text: "The claim is in the home page’s words, the accent in the theme.",
        calls: [call("read", { path: homeFile }), call("read", { path: themeFile })],
        usage: { input: 6200, output: 90 },
      }),
      after(900, {
        calls: [call("edit", { path: homeFile, search: quoted(old), replace: quoted(heading) })],
        usage: { input: 8100, output: 120, cached: 6100 },
      }),
      after(900, {
        calls: [
          call("edit", {
            path: themeFile,
            search: accent,
            replace: "--accent: light-dark(#b8341a, #ff9e85);",
          }),
        ],
        usage: { input: 8400, output: 110, cached: 8000 },
      }),
      after(700, {
        text: `The red keeps 5.7:1 on the background, in both themes more than is asked.

Summary: The home page opens with what clients get; the accent is a warm red.
Commit: Open with what clients get, in a warm red`,
        usage: { input: 8700, output: 140, cached: 8300 },
      }),
    ],
  };
}

/** The line that contains this text, as the agent would search for it. */
const lineWith = (text: string, part: string) =>
  text.split("\n").find((line) => line.includes(part)) ?? "";

/** The tasks in the image of the board, and how the agent changes each line that it finds. */
const tasks = [
  {
    ask: "Say in the footer whose typefaces these are.",
    path: footerFile,
    part: "©",
    change: (line: string) => `<p><a href="https://foundry.example/">Type by…</a></p>\n${line}`,
    say: "Thank the type foundry",
  },
  {
    ask: "Let the link to all projects say how many there are.",
    path: homeFile,
    part: '"work":',
    change: (line: string) => line.replace(/("link": ")[^"]*/, "$1All six projects"),
    say: "Say how many projects there are",
  },
  {
    ask: "Show the weather in Gothenburg in the footer.",
    path: footerFile,
    part: "©",
    change: (line: string) => `<Weather />\n${line}`,
    say: "Show the weather",
  },
] as const;

export const taskInstructions = tasks.map(({ ask }) => ask);

/** Carries out any task, recognized by its text. */
function taskStep(instance: TestInstance): (request: SeenRequest) => Promise<ModelStep> {
  return async ({ raw }) => {
    const task = tasks.find(({ ask }) => raw.includes(ask));
    if (!task) return { text: "There is nothing to change." };
    const opening = `I begin: ${task.say}.`;
    if (raw.includes(opening)) return { text: `Summary: ${task.say}.\nCommit: ${task.say}` };
    const text = await readFile(join(instance.paths.content, task.path), "utf8");
    const search = lineWith(text, task.part);
    const edit = { path: task.path, search, replace: task.change(search) };
    return { text: opening, calls: [call("edit", edit)] };
  };
}

/** A model that first does the video's job, then tasks. Its script is set once the instance exists. */
export interface ScreenshotModel extends AsyncDisposable {
  url: string;
  prepare(instance: TestInstance): Promise<EditorScript>;
}

export async function startScreenshotModel(): Promise<ScreenshotModel> {
  let prepared: { job: EditorScript; left: Script[number][]; other: Script[number] } | null = null;
  const next: Script[number] = (request) => {
    if (prepared === null) return { text: "Nothing is prepared." };
    const { job, left, other } = prepared;
    const step = (request.raw.includes(job.instruction) ? left.shift() : undefined) ?? other;
    return typeof step === "function" ? step(request) : step;
  };
  const server = await startModelServer(Array.from({ length: 400 }, () => next));
  return {
    url: server.url,
    async prepare(instance) {
      const job = await mainJob(instance);
      prepared = { job, left: [...job.script], other: taskStep(instance) };
      return job;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

interface HomeTexts {
  actions: { label: string; href: string }[];
  contact: { text: string };
}

/** Adds a dead link and a placeholder text to the home page, in a commit like an owner's. */
export async function makeMistakes(instance: TestInstance): Promise<void> {
  const file = join(instance.paths.content, homeFile);
  const words = JSON.parse(await readFile(file, "utf8")) as HomeTexts;
  for (const action of words.actions) action.href = action.href.replace("contact", "contcat");
  words.contact.text = `Lorem ipsum dolor sit amet. ${words.contact.text}`;
  await writeFile(file, `${JSON.stringify(words, null, 2)}\n`);
  await instance.git(
    "-c",
    "user.name=Owner",
    "-c",
    "user.email=owner@example.com",
    "commit",
    "-qam",
    "Write about prices",
  );
  await instance.vitrine(["rebuild"]);
  const deadline = performance.now() + 120_000;
  while (!(await (await fetch(instance.baseUrl)).text()).includes("Lorem ipsum")) {
    if (performance.now() > deadline) throw new Error("The mistakes do not go live.");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** A browser context in which nothing moves unless the video wants it to. */
export async function openContext(
  browser: Browser,
  size: { width: number; height: number },
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({
    viewport: size,
    colorScheme: "light",
    locale: "en-GB",
    timezoneId: "Europe/Stockholm",
    ...options,
  });
  context.setDefaultTimeout(300_000);
  return { context, page: await context.newPage() };
}
