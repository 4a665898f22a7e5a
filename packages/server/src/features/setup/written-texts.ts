import { isDeepStrictEqual } from "node:util";
import { designFile, siteFile } from "../portability/resume/page-texts.ts";
import { nextPages, type SetupRequest } from "./apply-setup.ts";
import { namelessSite, paragraphsOf } from "./site-texts.ts";

/** A text that visitors read and that the owner hasn't written, with its file. */
export interface WrittenText {
  file: string;
  text: string;
}

/** The texts in a value, each once, without addresses. */
function textsIn(value: unknown, into = new Set<string>()): Set<string> {
  if (typeof value === "string") {
    if (!/^(?:\/|https?:|#)/.test(value)) into.add(value);
  } else if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) textsIn(member, into);
  }
  return into;
}

/** Whether nothing but the owner's answers, or the beginning of one, is in a text. */
function makeOwnership(answers: unknown): (text: string) => boolean {
  const own = [...textsIn(answers)]
    .map((answer) => answer.replace(/\s+/g, " ").trim())
    .filter((answer) => answer !== "")
    .toSorted((one, other) => other.length - one.length);
  return (text) => {
    const start = text.replace(/…$/, "");
    if (own.some((answer) => answer.startsWith(start))) return true;
    const rest = own.reduce((left, answer) => left.replaceAll(answer, ""), text);
    return !/\p{L}/u.test(rest);
  };
}

/**
 * The texts that the site's pages have from the setup and not from the owner, once the setup is
 * applied: labels, headings, and sentences, all in English. Texts that the owner has changed since
 * aren't among them.
 */
export function writtenTexts(request: SetupRequest): WrittenText[] {
  const { input } = request;
  const pages = nextPages(request);
  const { name, role, place, email } = pages.find(({ file }) => file === siteFile)?.next ?? {};
  const isNameless = name === namelessSite && input.name === undefined;
  const story = paragraphsOf(input.about ?? "");
  const isOwn = makeOwnership([input, story, role, place, email, isNameless ? "" : name]);
  // The template's service page stays off until somebody writes it.
  const shown = pages.filter(({ file }) => file !== designFile);
  return shown.flatMap(({ file, next, texts }) => {
    const kept = Object.entries(texts).filter(([field, value]) =>
      isDeepStrictEqual(next[field], value),
    );
    const written = [...textsIn(Object.fromEntries(kept))].filter((text) => !isOwn(text));
    return written.map((text) => ({ file, text }));
  });
}
