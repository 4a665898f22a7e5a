import { posix } from "node:path";
import type { TestIndex } from "./cases.ts";

/** One statement as docs/spec-coverage.md has it. */
export interface Statement {
  text: string;
  /** Begins with "yes" where the product does it. */
  done: string;
  /** Paths of the code, in which `*` and `**` may stand for several. */
  code: string[];
  /** Paths of test files, each in full. */
  tests: string[];
  /** Numbers of cases whose tests prove it. */
  cases: number[];
}

const rowPattern = /^\| (?!Statement |---|\*\*)(.*?) \| (.*?) \| (.*?) \| (.*?) \|$/;
const caseList = /\babuse ((?:\d+(?:–\d+)?(?:, )?)+)/g;
/** A path: letters, digits and the signs of patterns, with a slash or an extension. */
const pathPattern = /^(?=.*(?:\/|\.(?:ts|tsx|astro|json|md)$))[\w.*{},/@[\]-]+$/;

/** "7, 12–14" as 7, 12, 13, 14. */
function readNumbers(list: string): number[] {
  return [...list.matchAll(/(\d+)(?:–(\d+))?/g)].flatMap(([, first, last]) => {
    const from = Number(first);
    return Array.from({ length: Number(last ?? first) - from + 1 }, (_, index) => from + index);
  });
}

/** "a/{b,c}.ts" as a/b.ts and a/c.ts: each of them has to be there. */
function expandBraces(path: string): string[] {
  const [, before = "", list, after = ""] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path) ?? [];
  if (list === undefined) return [path];
  return list.split(",").flatMap((one) => expandBraces(`${before}${one.trim()}${after}`));
}

/** The paths of a cell: what stands between commas, semicolons and colons that are in no braces. */
function readPaths(cell: string): string[] {
  const parts = cell.replaceAll(caseList, "").split(/[;:]|,(?![^{}]*\})/);
  const paths = parts.map((part) => part.trim()).filter((part) => pathPattern.test(part));
  return paths.flatMap(expandBraces);
}

/** The rows of the table of statements in a Markdown document, in their order. */
export function readStatements(document: string): Statement[] {
  return document.split("\n").flatMap((line) => {
    const [, text, done = "", code = "", proof = ""] = rowPattern.exec(line) ?? [];
    if (text === undefined) return [];
    const cases = [...proof.matchAll(caseList)].flatMap(([, list = ""]) => readNumbers(list));
    return [{ text, done, code: readPaths(code), tests: readPaths(proof), cases }];
  });
}

/** What the check knows of the repository. */
export interface Repository {
  index: TestIndex;
  /** The files and folders that a path or pattern names; it may be below `packages/server/src`. */
  find(path: string): string[];
}

/** What is wrong with the table, a sentence each: what it names has to be there. */
export function findCoverageProblems(
  statements: readonly Statement[],
  { index, find }: Repository,
): string[] {
  return statements.flatMap(({ text, done, code, tests, cases }) => {
    const isDone = /^yes\b/.test(done);
    const missing = [...code, ...tests].filter((path) => find(path).length === 0);
    const isTest = (path: string) => /\.test\.tsx?$/.test(path);
    const vague = tests.filter((path) => !isTest(path) || path.includes("*"));
    const proofs = tests.flatMap((path) => find(path)).filter(isTest);
    const unknown = cases.filter((number) => !index.files.has(number));
    return [
      ...missing.map((path) => `names ${path}, which isn't there.`),
      ...vague.map((path) => `names ${path} as proof, which is no single test file.`),
      ...unknown.map((number) => `names case ${number}, which no test carries.`),
      ...(isDone && code.length === 0 ? ["names no code."] : []),
      ...(isDone && proofs.length === 0 && cases.length === 0 ? ["names no test."] : []),
    ].map((problem) => `“${text}” ${problem}`);
  });
}

const inlineCode = /`([^`\s]+)`/g;

/** The paths that a document names in backticks: what has a slash and the extension of a source file. */
export function readCodePaths(document: string): string[] {
  return [...document.matchAll(inlineCode)]
    .map(([, path = ""]) => posix.normalize(path))
    .filter((path) => path.includes("/") && /\.(?:ts|tsx|astro|sql)$/.test(path));
}
