import { AppError, type ErrorCode } from "../../../kit/errors.ts";
import type { Limits } from "../../../platform/config.ts";
import { splitNote } from "../prompts/owner-note.ts";
import { textBeforeData } from "../prompts/untrusted-data.ts";
import type { AgentProject, RecordField } from "../records.ts";
import { type Jail, openJail } from "../tools/jail.ts";
import { ToolRefusal } from "../tools/refusal.ts";
import { fileName } from "../tools/tool.ts";
import { setAlt } from "./alt.ts";
import { type Command, grammar, parseInstruction } from "./grammar.ts";
import { setHead } from "./head.ts";
import { readRecords, type RecordSource } from "./record-source.ts";
import { changeLink } from "./link.ts";
import { replaceText } from "./replace.ts";
import { searchOf } from "./scope.ts";
import { readSite, type SiteSource } from "./site-source.ts";
import { literalError } from "./literal-error.ts";

/*
 * The literal editor's work on the site's source. It runs in a worker, because files, records,
 * and instructions can be as complex and long as their limits allow.
 */

const maxCommands = 20;

export interface LiteralInput {
  /** The workspace folder. */
  root: string;
  limits: Limits["workspace"];
  /** Path of the page that is open in the console. */
  here: string | null;
  /** The owner's message, followed by data. */
  message: string;
  /** The public projects as JSON, to say where their texts are edited. */
  projects: string;
  /** The records that the run may change. */
  records: AgentProject[];
}

/** An AppError as passed between threads. */
export interface LiteralFailure {
  code: ErrorCode;
  message: string;
  fields?: Record<string, string>;
}

/** The result of one command. */
export interface LiteralStep {
  command: Command;
  /** What the command searched for, for display. */
  object: string;
  found: { text: string; title: string } | { failure: LiteralFailure };
}

export interface LiteralWork {
  /** The instruction wasn't understood, so nothing was searched for. */
  failure: LiteralFailure | null;
  /** Whether the owner added a note that only a model could follow. */
  hasNote: boolean;
  /** The commands in order; only the last one may have failed. */
  steps: LiteralStep[];
  /** The changed files with their texts before and after. */
  changed: { path: string; before: string; text: string }[];
  /** The changed fields of records. */
  records: { slug: string; field: RecordField; value: unknown }[];
}

function notUnderstood(rest: string): AppError {
  const piece = rest.length > 80 ? `${rest.slice(0, 80)}…` : rest;
  return new AppError(
    "model_not_configured",
    `Free text needs a language model, and none is set up, so “${piece}” can't be carried out. Choose one under Settings → Model, or write an exact instruction:\n${grammar}\nPut each instruction on a line of its own.`,
  );
}

/** Attached data isn't part of the owner's message, so the grammar never parses it. */
function commandsOf(message: string): Command[] {
  const { instruction } = splitNote(textBeforeData(message));
  const { commands, rest } = parseInstruction(instruction);
  if (rest !== "" || commands.length === 0) throw notUnderstood(rest || instruction.trim());
  if (commands.length > maxCommands) {
    throw literalError(`Use at most ${maxCommands} instructions at a time.`);
  }
  return commands;
}

/** Why a message can't be an instruction on any site; null if it can. */
export function findMisunderstanding(message: string): LiteralFailure | null {
  try {
    commandsOf(message);
    return null;
  } catch (error) {
    return failureOf(error);
  }
}

/** The texts of records, to say where they are edited. */
async function recordText(jail: Jail, path: string): Promise<string> {
  try {
    return await jail.readText(path);
  } catch (error) {
    if (error instanceof ToolRefusal) return "[]";
    throw error;
  }
}

/** The site in memory, and records that are only read. */
interface Scope {
  site: SiteSource;
  /** The project records that may be changed. */
  projects: RecordSource;
  records: Record<string, string>;
  here: string | null;
}

function perform(scope: Scope, command: Command): string {
  const { site, records, here } = scope;
  if (command.kind === "head") return setHead(scope, command, here);
  const search = searchOf(site, command.scope, here);
  if (command.kind === "replace") return replaceText(scope, command, search, records);
  if (command.kind === "link") return changeLink(scope, command, search, records);
  return setAlt(scope, command, search, records);
}

function objectOf(command: Command): string {
  if (command.kind === "head") return `the page's ${command.field}`;
  if (command.kind === "link") return `the link “${command.address}”`;
  return `“${command.kind === "replace" ? command.search : command.image}”`;
}

function failureOf(error: unknown): LiteralFailure {
  // The source nests deeper than the parser supports.
  const known =
    error instanceof RangeError
      ? literalError("The site's source is nested too deeply to read.")
      : error;
  if (!(known instanceof AppError)) throw error;
  const { code, message, fields } = known;
  return { code, message, ...(fields && { fields }) };
}

function stepOf(scope: Scope, command: Command): LiteralStep {
  const object = objectOf(command);
  const before = scope.site.changed().length;
  const recordsBefore = scope.projects.changed().length;
  try {
    const text = perform(scope, command);
    const files = scope.site.changed().slice(before);
    const projects = scope.projects.changed().slice(recordsBefore);
    const where = [
      ...files.map((file) => fileName(file.path)),
      ...projects.map(({ slug, field }) => `${field} of ${slug}`),
    ].join(", ");
    const title = `Found ${object}${where === "" ? "" : ` in ${where}`}`;
    return { command, object, found: { text, title } };
  } catch (error) {
    return { command, object, found: { failure: failureOf(error) } };
  }
}

/**
 * Which of these instructions could be executed, each separately, on the current site and records.
 * Writes nothing; runs in a worker.
 */
export async function canExecuteInstructions(
  input: Pick<LiteralInput, "root" | "limits" | "records"> & { instructions: readonly string[] },
): Promise<boolean[]> {
  const site = await readSite(await openJail(input.root, input.limits));
  return input.instructions.map((instruction) => {
    const projects = readRecords(input.records);
    const scope: Scope = { site, projects, records: {}, here: null };
    try {
      const steps = commandsOf(instruction).map((command) => stepOf(scope, command));
      const isFound = steps.every(({ found }) => !("failure" in found));
      return isFound && site.changed().length + projects.changed().length > 0;
    } catch (error) {
      failureOf(error);
      return false;
    } finally {
      for (const { path, before } of site.changed()) site.set(path, before);
    }
  });
}

/** Executes an instruction in memory, up to the first command that fails. Writes nothing. */
export async function executeLiteralInstruction(input: LiteralInput): Promise<LiteralWork> {
  const steps: LiteralStep[] = [];
  let commands: Command[];
  try {
    commands = commandsOf(input.message);
  } catch (error) {
    return { failure: failureOf(error), hasNote: false, steps, changed: [], records: [] };
  }
  const jail = await openJail(input.root, input.limits);
  const [site, changelog] = await Promise.all([
    readSite(jail),
    recordText(jail, "database/changelog.json"),
  ]);
  const records = { projects: input.projects, changelog };
  const projects = readRecords(input.records);
  const scope: Scope = { site, projects, records, here: input.here };
  for (const command of commands) {
    const step = stepOf(scope, command);
    steps.push(step);
    if ("failure" in step.found) break;
  }
  const hasNote = splitNote(textBeforeData(input.message)).note !== null;
  const changed = site.changed();
  return { failure: null, hasNote, steps, changed, records: projects.changed() };
}
