import { basename } from "node:path";
import ts from "typescript";
import type { Rule } from "./list.ts";

/** A place with a word for which the repository has another one. */
export interface Finding {
  path: string;
  /** From 1; 0 for the file's name. */
  line: number;
  /** The identifier, file name, or text that contains it. */
  text: string;
  rule: Rule;
}

/** The words in a name, in lower case: `maxUploadBytes` → max, upload, bytes. */
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

/** The texts in a program's source: strings, parts of templates, and JSX text. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text;
  if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) return node.text;
  return undefined;
}

/** Module names are those of files and packages, which are checked themselves. */
function isModuleName({ parent }: ts.Node): boolean {
  return ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent);
}

/**
 * Searches one file for the words of a list: its name, and the identifiers and texts of a program.
 * A name is reported once per file, at its first place.
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
