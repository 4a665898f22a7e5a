import { posix } from "node:path";
import type { TestIndex } from "./cases.ts";

/** One statement in docs/spec-coverage.md. */
export interface Statement {
  text: string;
  /** Begins with "yes" if the product does it. */
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
/** A path: letters, digits, and pattern characters, with a slash or an extension. */
const pathPattern = /^(?=.*(?:\/|\.(?:ts|tsx|astro|json|md)$))[\w.*{},/@[\]-]+$/;

/** "7, 12–14" as 7, 12, 13, 14. */
function readNumbers(list: string): number[] {
  return [...list.matchAll(/(\d+)(?:–(\d+))?/g)].flatMap(([, first, last]) => {
    const from = Number(first);
    return Array.from({ length: Number(last ?? first) - from + 1 }, (_, index) => from + index);
  });
}

/** "a/{b,c}.ts" as a/b.ts and a/c.ts: each of them must exist. */
function expandBraces(path: string): string[] {
  const [, before = "", list, after = ""] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path) ?? [];
  if (list === undefined) return [path];
  return list.split(",").flatMap((one) => expandBraces(`${before}${one.trim()}${after}`));
}

/** The paths in a cell, separated by commas, semicolons, and colons outside braces. */
function readPaths(cell: string): string[] {
  const parts = cell.replaceAll(caseList, "").split(/[;:]|,(?![^{}]*\})/);
  const paths = parts.map((part) => part.trim()).filter((part) => pathPattern.test(part));
  return paths.flatMap(expandBraces);
}

/** The rows of the table of statements in a Markdown document, in order. */
export function readStatements(document: string): Statement[] {
  return document.split("\n").flatMap((line) => {
    const [, text, done = "", code = "", proof = ""] = rowPattern.exec(line) ?? [];
    if (text === undefined) return [];
    const cases = [...proof.matchAll(caseList)].flatMap(([, list = ""]) => readNumbers(list));
    return [{ text, done, code: readPaths(code), tests: readPaths(proof), cases }];
  });
}

/** What the check needs to know of the repository. */
export interface Repository {
  index: TestIndex;
  /**
   * The files and folders that match a path or pattern, which may be relative to
   * `packages/server/src`.
   */
  find(path: string): string[];
}

/** The errors of the table, a sentence each: everything that it names must exist. */
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

/**
 * The paths that a document names in backticks: texts with a slash and the extension of a source
 * file.
 */
export function readCodePaths(document: string): string[] {
  return [...document.matchAll(inlineCode)]
    .map(([, path = ""]) => posix.normalize(path))
    .filter((path) => path.includes("/") && /\.(?:ts|tsx|astro|sql)$/.test(path));
}
