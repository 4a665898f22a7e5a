import { basename } from "node:path";
import ts from "typescript";
import type { Rule } from "./list.ts";

/** A place where a word stands that the repository has another one for. */
export interface Finding {
  path: string;
  /** From 1; 0 for the name of the file. */
  line: number;
  /** The identifier, file name or text that it was found in. */
  text: string;
  rule: Rule;
}

/** The words that a name is put together of, in small letters: `maxUploadBytes` → max, upload, bytes. */
export function wordsOfName(name: string): string[] {
  return name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());
}

function findInName(name: string, rules: readonly Rule[]): Rule | undefined {
  const words = ` ${wordsOfName(name).join(" ")} `;
  return rules.find(({ names, except }) => {
    if (names === undefined || except?.includes(name)) return false;
    return names.some((word) => words.includes(` ${word} `) || words.includes(` ${word}s `));
  });
}

function findInText(text: string, rules: readonly Rule[]): Rule | undefined {
  return rules.find(({ texts }) => texts?.test(text) ?? false);
}

/** What a program's source says in texts: strings, parts of templates and the texts of JSX. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text;
  if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) return node.text;
  return undefined;
}

/** Module names are those of files and packages, which are looked at for themselves. */
function isModuleName({ parent }: ts.Node): boolean {
  return ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent);
}

/**
 * Looks for the words of a list in one file: in its name, and in the identifiers and texts of a program.
 * A name is found once in each file, where it stands first.
 */
export function scanFile(path: string, source: string, rules: readonly Rule[]): Finding[] {
  const inPath = findInName(basename(path), rules);
  const findings: Finding[] = inPath ? [{ path, line: 0, text: basename(path), rule: inPath }] : [];
  if (!/\.tsx?$/.test(path)) return findings;
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const seen = new Set<string>();
  const add = (node: ts.Node, text: string, rule: Rule | undefined) => {
    if (rule === undefined) return;
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    findings.push({ path, line, text: text.trim(), rule });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && !seen.has(node.text)) {
      seen.add(node.text);
      add(node, node.text, findInName(node.text, rules));
    }
    const text = textOf(node);
    if (text !== undefined && !isModuleName(node)) add(node, text, findInText(text, rules));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return findings;
}
