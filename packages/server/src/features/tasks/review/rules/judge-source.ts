import type { FileDiff } from "../../../workspace/diff.ts";
import type { TaskScope } from "../../schema.ts";
import { shorten } from "./review-context.ts";
import type { Problem } from "./problem.ts";

/** Source files that a task may change unattended; the result is judged on the built pages. */
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

/** A text in the source that is on no page now could appear with a later build. */
function unseenText({ patch }: FileDiff, shown: string): string | null {
  const old = new Set(textsIn(linesOf(patch, "-")));
  return (
    textsIn(linesOf(patch, "+")).find(
      (text) => text !== "" && !old.has(text) && !shown.includes(text),
    ) ?? null
  );
}

/** The names of fields are code, so none of them may be a sentence. */
function oddField({ patch }: FileDiff): string | null {
  const names = linesOf(patch, "+").flatMap((line) =>
    [...line.matchAll(literal)].flatMap(([, name = "", colon]) =>
      colon === undefined ? [] : name,
    ),
  );
  return names.find((name) => !/^[A-Za-z][\w-]{0,31}$/.test(name)) ?? null;
}

const comment = /\/\*|\*\/|<!--|-->|(?<![:"'\w])\/\/|^\s*\*\s/;

/** A comment with only figures, such as a color's contrast, can't contain instructions. */
const figures = /\/\*[^\p{L}*]*\*\//gu;

/** A comment may be read by later agents, but never by visitors. */
function commentIn({ patch }: FileDiff): string | null {
  const old = new Set(linesOf(patch, "-").map((line) => line.trim()));
  const isNote = (line: string) => comment.test(line.replace(figures, "")) && !old.has(line.trim());
  return linesOf(patch, "+").find(isNote) ?? null;
}

const lettersOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
/** This many consecutive words can be code rather than a sentence, such as class names. */
const maxCodeWords = 4;

/** Words in a line of markup that no page shows: a note, or what another build would show. */
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

/** A declaration of a style sheet, which would do nothing as a statement. */
const declaration =
  /^\s*--?[\w-]+:[^;{}]*;\s*$|^\s*[a-z-]+:(?:[\w\s#.,%/-]|(?:var|clamp|light-dark)\((?:[\w\s#.,%/+-]|\([\w\s#.,%-]*\))*\))+;\s*(?:\/\*[^*]*\*\/)?\s*$/;

/**
 * A page's code can behave differently in the next build: only markup and the names of texts may
 * change.
 */
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
  // A line without any sign of code may still be inside the frontmatter.
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

/** What needs review in the changed source. `shown` are all texts of the changed pages. */
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
      return note("a source file that can’t change without review");
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
