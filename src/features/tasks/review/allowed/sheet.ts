import { type CssNode, generate, parse } from "css-tree";
import { TooLarge } from "./tree.ts";

/** One declaration of a rule, with the conditions that the rule stands under. */
export interface SheetDeclaration {
  /** At-rules around it, outermost first, as they are written; empty without. */
  condition: string;
  selector: string;
  property: string;
  value: string;
}

/** A style sheet as it is compared. */
export interface Sheet {
  /** Everything but the values, in order: two sheets of one shape differ in values alone. */
  shape: string[];
  declarations: SheetDeclaration[];
}

const most = { declarations: 50_000, depth: 12 } as const;

const compact = (text: string) => text.replace(/\s+/g, " ").trim();

function textOf(node: CssNode | string | null | undefined): string {
  if (node === null || node === undefined) return "";
  return compact(typeof node === "string" ? node : generate(node));
}

interface Reading {
  sheet: Sheet;
  isBroken: boolean;
}

function readNodes(
  nodes: Iterable<CssNode>,
  around: { condition: string; selector: string; depth: number },
  reading: Reading,
): void {
  if (around.depth > most.depth) throw new TooLarge("its rules lie too deep within one another");
  const { sheet } = reading;
  for (const node of nodes) {
    if (node.type === "Declaration") {
      const property = node.property ?? "";
      if (sheet.declarations.length > most.declarations)
        throw new TooLarge("it has too many declarations");
      sheet.shape.push(`${property}${node.important ? "!" : ""}`);
      sheet.declarations.push({
        ...around,
        property,
        value: textOf(node.value as CssNode | string),
      });
    } else if (node.type === "Rule") {
      const selector = compact(`${around.selector} ${textOf(node.prelude)}`);
      sheet.shape.push(`{${around.condition}|${selector}`);
      readNodes(
        node.block?.children ?? [],
        { ...around, selector, depth: around.depth + 1 },
        reading,
      );
      sheet.shape.push("}");
    } else if (node.type === "Atrule") {
      const condition = compact(`${around.condition} @${node.name ?? ""} ${textOf(node.prelude)}`);
      sheet.shape.push(`@${condition}|${around.selector}`);
      if (node.block)
        readNodes(
          node.block.children ?? [],
          { ...around, condition, depth: around.depth + 1 },
          reading,
        );
      sheet.shape.push("}");
    } else if (node.type !== "Comment" && node.type !== "WhiteSpace") {
      reading.isBroken = true;
      sheet.shape.push(textOf(node));
    }
  }
}

/** Reads a style sheet. Throws `TooLarge` for one that can't be compared. */
export function readSheet(css: string): Sheet {
  const reading: Reading = { sheet: { shape: [], declarations: [] }, isBroken: false };
  const tree = parse(css, {
    positions: false,
    parseValue: false,
    parseRulePrelude: false,
    parseAtrulePrelude: false,
    onParseError() {
      reading.isBroken = true;
    },
  });
  readNodes(tree.children ?? [], { condition: "", selector: "", depth: 0 }, reading);
  if (reading.isBroken) throw new TooLarge("it has rules that can't be read");
  return reading.sheet;
}
