import type { FileDiff } from "../../../workspace/diff.ts";
import type { TaskScope } from "../../schema.ts";
import { shorten } from "./review-context.ts";
import type { Problem } from "./problem.ts";

/** The source that a task may change unattended; what it becomes is judged on the built pages. */
const allowed = [
  /^app\/src\/content\/[\w./-]+\.json$/,
  /^app\/src\/(?:pages|components|layouts)\/[\w./[\]-]+\.astro$/,
  /^app\/src\/(?:content|pages)\/[\w./-]+\.md$/,
  /^app\/src\/styles\/[\w-]+\.css$/,
];

function linesOf(patch: string, sign: "+" | "-"): string[] {
  return patch
    .split("\n")
    .filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3)))
    .map((line) => line.slice(1));
}

const literal = /(?<!\\)"((?:[^"\\]|\\.)*)"(\s*:)?/g;

/** The texts of JSON lines, without the names of fields. */
function textsIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    [...line.matchAll(literal)].flatMap(([, raw = "", colon]) => {
      if (colon !== undefined) return [];
      try {
        return String(JSON.parse(`"${raw}"`))
          .replace(/\s+/g, " ")
          .trim();
      } catch {
        return raw;
      }
    }),
  );
}

/** A text in the source that is on no page now could come up with another build. */
function unseenText({ patch }: FileDiff, shown: string): string | null {
  const old = new Set(textsIn(linesOf(patch, "-")));
  return (
    textsIn(linesOf(patch, "+")).find(
      (text) => text !== "" && !old.has(text) && !shown.includes(text),
    ) ?? null
  );
}

/** The names of fields are code: none of them is a sentence. */
function oddField({ patch }: FileDiff): string | null {
  const names = linesOf(patch, "+").flatMap((line) =>
    [...line.matchAll(literal)].flatMap(([, name = "", colon]) =>
      colon === undefined ? [] : name,
    ),
  );
  return names.find((name) => !/^[A-Za-z][\w-]{0,31}$/.test(name)) ?? null;
}

const comment = /\/\*|\*\/|<!--|-->|(?<![:"'\w])\/\/|^\s*\*\s/;

/** A comment of figures, such as the contrast of a color, tells nobody anything to do. */
const figures = /\/\*[^\p{L}*]*\*\//gu;

/** What agents may read later and no visitor sees. */
function commentIn({ patch }: FileDiff): string | null {
  const old = new Set(linesOf(patch, "-").map((line) => line.trim()));
  const isNote = (line: string) => comment.test(line.replace(figures, "")) && !old.has(line.trim());
  return linesOf(patch, "+").find(isNote) ?? null;
}

const lettersOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
/** So many words in a row may be code that is no sentence, such as names of classes. */
const maxCodeWords = 4;

/** Words of a line of markup that no page shows: a note, or what another build would show. */
function unseenWords({ patch }: FileDiff, shown: string): string | null {
  const known = new Set(lettersOf(shown));
  const old = new Set(linesOf(patch, "-").flatMap(lettersOf));
  const isUnseen = (word: string) => !known.has(word) && !old.has(word);
  for (const line of linesOf(patch, "+")) {
    const values = [...line.matchAll(/=\s*(?:"([^"]*)"|'([^']*)')/g)].map(
      ([, a, b]) => a ?? b ?? "",
    );
    const text = line.replace(
      /<[^<>]*>?|\{[^{}]*\}|(?<![\w:-])[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*')/g,
      " ",
    );
    const isSentence = (part: string) =>
      lettersOf(part).length > maxCodeWords && lettersOf(part).some(isUnseen);
    if ([text, ...values].some(isSentence)) return shorten(line);
  }
  return null;
}

const plainExpression = /^\{\s*[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\s*\}$/;
const code =
  /^---|<\/?(?:script|style)\b|\b(?:set:|is:|define:|client:|server:|transition:|on[a-z]+=|import\b|export\b|await\b)|=>|`|\.\.\./;

/** A declaration of a style sheet, which as a statement would do nothing. */
const declaration =
  /^\s*--?[\w-]+:[^;{}]*;\s*$|^\s*[a-z-]+:(?:[\w\s#.,%/-]|(?:var|clamp|light-dark)\((?:[\w\s#.,%/+-]|\([\w\s#.,%-]*\))*\))+;\s*(?:\/\*[^*]*\*\/)?\s*$/;

/** Code of a page can do another thing at the next build: only markup and the names of texts may change. */
function codeIn({ patch }: FileDiff, scope: TaskScope): string | null {
  const isStyle = (line: string) => scope.style.length > 0 && declaration.test(line);
  const old = new Set(linesOf(patch, "-").flatMap((line) => line.match(/\{[^{}]*\}/g) ?? []));
  for (const line of linesOf(patch, "+")) {
    if (isStyle(line)) continue;
    const rest = line.replace(/\{[^{}]*\}/g, (found) =>
      old.has(found) || plainExpression.test(found) ? "" : "{",
    );
    if (/[{}]/.test(rest) || code.test(rest)) return shorten(line);
  }
  // A line without any sign of code may stand between the marks of the code all the same.
  return frontMatter(patch, isStyle) ? "the code of a page" : null;
}

/** Whether a hunk changes lines that look like statements. */
function frontMatter(patch: string, isStyle: (line: string) => boolean): boolean {
  const statement =
    /^\s*(?:const|let|var|function|return|if|for|while|type|interface|import|export)\b|;\s*$/;
  return [...linesOf(patch, "+"), ...linesOf(patch, "-")].some(
    (line) => statement.test(line) && !isStyle(line) && !/<[a-z/]/i.test(line),
  );
}

/** What of the changed source a person has to look at. `shown` is all that the changed pages say. */
export function sourceProblems(
  files: readonly FileDiff[],
  { shown, scope }: { shown: string; scope: TaskScope },
): Problem[] {
  return files.flatMap((file): Problem[] => {
    const { path, oldPath, status, binary, truncated } = file;
    const note = (what: string): Problem[] => [{ group: "source", what, path }];
    if (status !== "modified" || oldPath !== undefined || binary)
      return note(`a source file is ${status}`);
    if (!allowed.some((pattern) => pattern.test(path)))
      return note("a source file that no task changes unattended");
    if (truncated) return note("a source file that is too large to read");
    const remark = commentIn(file);
    if (remark !== null) return note(`a comment, “${shorten(remark)}”`);
    if (path.endsWith(".css")) return scope.style.length > 0 ? [] : note("the theme");
    if (!path.endsWith(".json")) {
      const words = unseenWords(file, shown);
      if (words !== null) return note(`words that no page shows, “${words}”`);
    }
    if (path.endsWith(".astro")) {
      const found = codeIn(file, scope);
      return found === null ? [] : note(`code of a page, “${found}”`);
    }
    const field = oddField(file);
    if (field !== null && path.endsWith(".json"))
      return note(`a field with an unusual name, “${shorten(field)}”`);
    const unseen = unseenText(file, shown);
    return unseen === null || !path.endsWith(".json")
      ? []
      : note(`a text that no page shows, “${shorten(unseen)}”`);
  });
}
