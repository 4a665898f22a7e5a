/*
 * The language of the literal editor. Keywords are case-insensitive; quotes can be straight or
 * typographic, single or double; several instructions are separated by line breaks or ";".
 */

/**
 * Where an instruction applies: a path, the whole site, or the page that is open in the console.
 */
export type Scope = { kind: "page"; path: string } | { kind: "everywhere" } | { kind: "here" };

export type Command =
  | { kind: "replace"; search: string; replacement: string; scope: Scope }
  | { kind: "link"; address: string; value: string; scope: Scope }
  | {
      kind: "head";
      field: "title" | "description";
      value: string;
      scope: Scope;
      /** The name of the project whose page is meant, if the instruction names one. */
      project: string | null;
    }
  | { kind: "alt"; image: string; value: string; scope: Scope };

/** The possible instructions, one form per line, for display. */
export const grammar = [
  'replace "A" with "B"',
  'replace "A" with "B" on /about',
  'replace "A" with "B" everywhere',
  'change the link "/old" to "/new"',
  'set the title of /about to "X"',
  'set the description of /about to "X"',
  'set the title of "Name of a project" to "X"',
  'set the alt text of "/images/portrait.svg" to "X"',
].join("\n");

// White space is limited so that a long run of it can't be split in every possible way. Lazy, so
// that the text can contain quotes itself; what follows determines where it ends.
const quoted = (name: string, least: "+" | "*") =>
  `(?:["“”„«»](?<${name}1>[\\s\\S]${least}?)["“”„«»]|['‘’‚‹›](?<${name}2>[\\s\\S]${least}?)['‘’‚‹›])`;
const place = `(?:(?<site>everywhere|on the whole site)|(?:on|of|in)\\s{1,20}(?:(?<path>/[^\\s;"”]*?)|(?<this>this page|the page)))`;
const namedProject = `(?:of|for)\\s{1,20}(?:the\\s{1,20}project\\s{1,20})?${quoted("project", "+")}`;
const start = `(?:please\\s{1,20})?`;
const end = `[ \\t]{0,20}[.!]?[ \\t]{0,20}(?=;|\\r?\\n|$)`;

const patterns: Record<Command["kind"], RegExp> = {
  replace: new RegExp(
    `${start}(?:replace|change)\\s{1,20}${quoted("a", "+")}\\s{1,20}(?:with|by|to|into)\\s{1,20}${quoted("b", "*")}(?:\\s{1,20}${place})?${end}`,
    "iuy",
  ),
  link: new RegExp(
    `${start}change\\s{1,20}(?:the\\s{1,20})?link\\s{1,20}${quoted("a", "+")}\\s{1,20}(?:to|into)\\s{1,20}${quoted("b", "+")}(?:\\s{1,20}${place})?${end}`,
    "iuy",
  ),
  head: new RegExp(
    `${start}(?:set|change)\\s{1,20}(?:the\\s{1,20})?(?:page\\s{1,20})?(?<field>title|description|summary)(?:\\s{1,20}(?:${place}|${namedProject}))?\\s{1,20}to\\s{1,20}${quoted("a", "+")}${end}`,
    "iuy",
  ),
  alt: new RegExp(
    `${start}(?:set|change)\\s{1,20}(?:the\\s{1,20})?alt(?:\\s{1,20}text|ernative\\s{1,20}text)?\\s{1,20}(?:of|for)\\s{1,20}(?:the\\s{1,20}image\\s{1,20})?${quoted("b", "+")}\\s{1,20}to\\s{1,20}${quoted("a", "*")}(?:\\s{1,20}${place})?${end}`,
    "iuy",
  ),
};

type Groups = Record<string, string | undefined>;

function scopeOf(groups: Groups): Scope {
  if (groups["site"] !== undefined) return { kind: "everywhere" };
  const path = groups["path"];
  if (path === undefined) return { kind: "here" };
  return { kind: "page", path: path.replace(/\/+$/, "") || "/" };
}

function textOf(groups: Groups, name: string): string {
  const text = groups[`${name}1`] ?? groups[`${name}2`] ?? "";
  // eslint-disable-next-line no-control-regex
  return text.normalize("NFC").replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, "");
}

function commandOf(kind: Command["kind"], groups: Groups): Command {
  const scope = scopeOf(groups);
  if (kind === "replace") {
    return { kind, search: textOf(groups, "a"), replacement: textOf(groups, "b"), scope };
  }
  if (kind === "link") {
    return { kind, address: textOf(groups, "a"), value: textOf(groups, "b"), scope };
  }
  if (kind === "alt")
    return { kind, image: textOf(groups, "b"), value: textOf(groups, "a"), scope };
  const field = groups["field"]?.toLowerCase() === "title" ? "title" : "description";
  const project = textOf(groups, "project").trim() || null;
  return { kind, field, value: textOf(groups, "a"), scope, project };
}

/** Parses an instruction. `rest` is the part that it doesn't understand, or "". */
export function parseInstruction(instruction: string): { commands: Command[]; rest: string } {
  const commands: Command[] = [];
  const kinds = Object.keys(patterns) as Command["kind"][];
  let at = 0;
  for (;;) {
    at += /^(?:[\s;]|(?:and|then)\s)*/i.exec(instruction.slice(at))?.[0].length ?? 0;
    if (at >= instruction.length) return { commands, rest: "" };
    const before = at;
    for (const kind of kinds) {
      const pattern = patterns[kind];
      pattern.lastIndex = at;
      const match = pattern.exec(instruction);
      if (match === null) continue;
      commands.push(commandOf(kind, match.groups ?? {}));
      at = pattern.lastIndex;
      break;
    }
    if (at === before) return { commands, rest: instruction.slice(at).trim() };
  }
}
