import { type CssNode, generate, parse } from "css-tree";
import { TooLarge } from "./tree.ts";

/** A declaration with the conditions of its rule. */
export interface SheetDeclaration {
  /** The enclosing at-rules, outermost first, as written; may be empty. */
  condition: string;
  selector: string;
  property: string;
  value: string;
}

/** A rule, or an at-rule, with its own declarations. */
export interface SheetRule {
  /** Conditions and selector, which identify the rule. */
  key: string;
  declarations: SheetDeclaration[];
}

/** A style sheet for comparison: its rules in order. */
export interface Sheet {
  rules: SheetRule[];
}

/** All declarations of a sheet in order. */
export function declarationsOf({ rules }: Sheet): SheetDeclaration[] {
  return rules.flatMap(({ declarations }) => declarations);
}

const maxSize = { declarations: 50_000, depth: 12 } as const;

const compact = (text: string) => text.replace(/\s+/g, " ").trim();

function textOf(node: CssNode | string | null | undefined): string {
  if (node === null || node === undefined) return "";
  return compact(typeof node === "string" ? node : generate(node));
}

interface Reading {
  sheet: Sheet;
  isBroken: boolean;
  /** The number of declarations so far. */
  count: number;
}

interface Around {
  condition: string;
  selector: string;
  depth: number;
}

function startRule({ sheet }: Reading, key: string): SheetRule {
  const rule: SheetRule = { key, declarations: [] };
  sheet.rules.push(rule);
  return rule;
}

function readDeclaration(
  node: CssNode,
  { condition, selector }: Around,
  rule: SheetRule,
  reading: Reading,
) {
  reading.count += 1;
  if (reading.count > maxSize.declarations) throw new TooLarge("it has too many declarations");
  const property = `${node.property ?? ""}${node.important ? "!" : ""}`;
  rule.declarations.push({
    condition,
    selector,
    property,
    value: textOf(node.value as CssNode | string),
  });
}

function readNodes(
  nodes: Iterable<CssNode>,
  around: Around,
  rule: SheetRule,
  reading: Reading,
): void {
  if (around.depth > maxSize.depth) throw new TooLarge("its rules are nested too deeply");
  const depth = around.depth + 1;
  for (const node of nodes) {
    if (node.type === "Declaration") readDeclaration(node, around, rule, reading);
    else if (node.type === "Rule") {
      const selector = compact(`${around.selector} ${textOf(node.prelude)}`);
      const own = startRule(reading, `${around.condition}{${selector}`);
      readNodes(node.block?.children ?? [], { ...around, selector, depth }, own, reading);
    } else if (node.type === "Atrule") {
      const condition = compact(`${around.condition} @${node.name ?? ""} ${textOf(node.prelude)}`);
      const own = startRule(reading, `${condition}@${around.selector}`);
      if (node.block)
        readNodes(node.block.children ?? [], { ...around, condition, depth }, own, reading);
    } else if (node.type !== "Comment" && node.type !== "WhiteSpace") reading.isBroken = true;
  }
}

/** Parses a style sheet. Throws `TooLarge` if it can't be compared. */
export function readSheet(css: string): Sheet {
  const reading: Reading = { sheet: { rules: [] }, isBroken: false, count: 0 };
  const tree = parse(css, {
    positions: false,
    parseValue: false,
    parseRulePrelude: false,
    parseAtrulePrelude: false,
    onParseError() {
      reading.isBroken = true;
    },
  });
  const root = startRule(reading, "");
  readNodes(tree.children ?? [], { condition: "", selector: "", depth: 0 }, root, reading);
  if (reading.isBroken) throw new TooLarge("it has rules that can't be read");
  return reading.sheet;
}
