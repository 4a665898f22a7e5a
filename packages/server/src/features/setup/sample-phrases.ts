import { parseJson } from "../../kit/json.ts";
import { applySetup, type ContentFiles, sampleName } from "./apply-setup.ts";
import type { SetupInput } from "./site-texts.ts";

/** Shorter texts, such as a skill, a role, or a label, may occur on anybody's site. */
const minOwnLength = 40;

/** Shorter texts may be words of any site. */
const minPhraseLength = 4;

function collect(value: unknown, into: Set<string>): void {
  if (typeof value === "string") into.add(value.replace(/\s+/g, " ").trim());
  else if (Array.isArray(value)) for (const each of value) collect(each, into);
  else if (typeof value === "object" && value !== null) {
    for (const each of Object.values(value)) collect(each, into);
  }
}

function textsOf(files: ContentFiles): Set<string> {
  const texts = new Set<string>();
  for (const [path, text] of Object.entries(files)) {
    if (path.endsWith(".json")) collect(parseJson(text), texts);
  }
  return texts;
}

/** Somebody who has answered everything, so that all labels of the setup are known. */
const anybody: SetupInput = {
  name: "Somebody",
  role: "Something",
  place: "Somewhere",
  email: "somebody@example.net",
  about: "Somebody does something.",
  services: [{ name: "Something", text: "", price: "" }],
};

const isAddress = (text: string) => /^(?:\/|https?:)/.test(text);

/**
 * The texts that show that a page is about the sample person. They come from `shipped`, the shipped
 * content, and its `projects` (the text of database/projects.json), and disappear when the setup is
 * applied. Each is the whole text of a field, longest first.
 */
export function samplePhrases(shipped: ContentFiles, projects: string): string[] {
  const changed = applySetup({ present: shipped, shipped, before: null, input: anybody });
  const kept: [string, string][] = Object.entries({ ...shipped, ...changed }).flatMap(
    ([path, text]) => (text === null ? [] : [[path, text]]),
  );
  const neutral = textsOf(Object.fromEntries(kept));
  const sample = textsOf(shipped);
  const records = parseJson(projects) as { projects: Record<string, unknown>[] };
  for (const { name, summary, lede } of records.projects) collect([name, summary, lede], sample);
  return [...sample.difference(neutral)]
    .filter((text) => text.length >= minPhraseLength && !isAddress(text))
    .toSorted((one, other) => other.length - one.length || (one < other ? -1 : 1));
}

/**
 * The phrases that nobody else would have written: the person's name, the projects' names, and
 * texts of at least a sentence.
 */
export function unmistakablePhrases(shipped: ContentFiles, projects: string): string[] {
  const records = parseJson(projects) as { projects: { name: string }[] };
  const names = new Set([sampleName(shipped), ...records.projects.map(({ name }) => name)]);
  return samplePhrases(shipped, projects).filter(
    (text) => names.has(text) || text.includes("@") || text.length >= minOwnLength,
  );
}
