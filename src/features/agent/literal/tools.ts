import { z } from "zod";
import { AppError } from "../../../kit/errors.ts";
import { countsOf, fileChange } from "../tools/file-change.ts";
import type { Jail } from "../tools/jail.ts";
import { ToolRefusal } from "../tools/refusal.ts";
import { type AgentTool, fileName } from "../tools/tool.ts";
import { setAlt } from "./alt.ts";
import type { Command } from "./grammar.ts";
import { setHead } from "./head.ts";
import { changeLink } from "./link.ts";
import { replaceText } from "./replace.ts";
import { searchOf } from "./scope.ts";
import type { SiteSource } from "./site-source.ts";

/** What the steps of the literal editor share: the site in memory, and records it only looks at. */
export interface LiteralScope {
  jail: Jail;
  site: SiteSource;
  records: Record<string, string>;
  /** Path of the page the console is open on. */
  here: string | null;
}

function perform({ site, records, here }: LiteralScope, command: Command): string {
  if (command.kind === "head") return setHead(site, command, here);
  const search = searchOf(site, command.scope, here);
  if (command.kind === "replace") return replaceText(site, command, search, records);
  if (command.kind === "link") return changeLink(site, command, search, records);
  return setAlt(site, command, search, records);
}

function objectOf(command: Command): string {
  if (command.kind === "head") return `the page's ${command.field}`;
  if (command.kind === "link") return `the link “${command.address}”`;
  return `“${command.kind === "replace" ? command.search : command.image}”`;
}

/** A step that carries out one command in memory. What it can't do is a refusal with the AppError as its cause. */
export function findTool(scope: LiteralScope, command: Command): AgentTool {
  return {
    name: "find",
    description: "Finds where a text stands.",
    input: z.unknown(),
    title: () => `Look for ${objectOf(command)}`,
    async run() {
      const before = scope.site.changed().length;
      try {
        const text = perform(scope, command);
        const files = scope.site.changed().slice(before);
        const where = files.map((file) => fileName(file.path)).join(", ");
        return { text, title: `Found ${objectOf(command)}${where === "" ? "" : ` in ${where}`}` };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        throw new ToolRefusal("no_match", error.message, { cause: error });
      }
    },
  };
}

/** A step that writes one changed file. */
export function saveTool({ jail }: LiteralScope, path: string, text: string): AgentTool {
  return {
    name: "edit",
    description: "Writes a changed file.",
    input: z.unknown(),
    title: () => `Edit ${fileName(path)}`,
    async run() {
      const change = fileChange(path, await jail.readText(path), text);
      await jail.writeText(path, text);
      return {
        text: `Edited ${path} (${countsOf(change)}).`,
        title: `Edited ${fileName(path)} ${countsOf(change)}`,
        changes: [change],
      };
    },
  };
}
