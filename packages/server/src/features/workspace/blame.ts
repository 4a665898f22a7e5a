import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { actorIdentity, writeCommit } from "./commit.ts";
import { isWritePath, unsafeName } from "./content-paths.ts";
import type { Repository } from "./git.ts";
import { treeId, type Workspace } from "./workspace.ts";

/** Who last changed a line. */
export interface LineOrigin {
  /** Null for a line in a workspace that isn't in any commit of the site yet. */
  commit: string | null;
  author: string;
  /** ISO 8601 UTC. */
  at: string;
  subject: string;
  /** The run named in the commit; null if there is none. */
  runId: string | null;
}

export interface SourceLine {
  /** Relative to the content. */
  file: string;
  /** Starts at 1. */
  line: number;
}

/** git reads a file and walks its history; even a site of many years takes far less. */
const blameMs = 10_000;

function refusal(field: "file" | "line", message: string): AppError {
  return new AppError("validation_failed", message, { fields: { [field]: message } });
}

function assertSourceFile(file: string): void {
  if (unsafeName(file) === null && isWritePath(file)) return;
  throw refusal("file", "Only files that runs can write to can be looked up.");
}

/** git's messages for a missing file or line. */
function missing(stderr: string, line: number): AppError | null {
  if (/no such path|no such ref|cannot stat path/.test(stderr)) {
    return new AppError("not_found", "This file doesn't exist.");
  }
  const lines = /has only (\d+) lines?/.exec(stderr)?.[1];
  if (lines === undefined) return null;
  return refusal("line", `Line ${line} doesn't exist: the file has ${lines} lines.`);
}

async function blamedCommit(
  repository: Repository,
  commit: string,
  { file, line }: SourceLine,
): Promise<string> {
  // Ignores the repository's own settings and attributes and starts no program.
  const fixed = ["--porcelain", "--no-textconv", "--ignore-revs-file="];
  const args = ["blame", ...fixed, "-L", `${line},${line}`, commit, "--", file];
  const result = await repository.git(args, { exitCodes: [0, 128], timeoutMs: blameMs });
  if (result.exitCode !== 0) {
    const known = missing(result.stderr, line);
    if (known) throw known;
    const cause = new Error(result.stderr.trim());
    throw new AppError("internal", "Git couldn't find the origin of this line.", { cause });
  }
  return result.stdout.slice(0, result.stdout.indexOf(" "));
}

const facts = ["%an", "%at", "%s", "%(trailers:key=Run,valueonly)"];

/**
 * Who last changed a line of the site in a commit. Throws `validation_failed` for a file that no
 * run may write or a line after its end, `not_found` for a missing file.
 */
export async function blameLine(
  repository: Repository,
  commit: string,
  at: SourceLine,
): Promise<LineOrigin & { commit: string }> {
  assertSourceFile(at.file);
  const found = await blamedCommit(repository, commit, at);
  const args = ["show", "--no-patch", "--no-notes", `--format=${facts.join("%x00")}`, found];
  const { stdout } = await repository.git(args);
  const [author = "", seconds = "", subject = "", runs = ""] = stdout.trimEnd().split("\0");
  const runId = runs.trim().split("\n").at(-1)?.trim() ?? "";
  return {
    commit: found,
    author,
    at: isoTime(Number(seconds) * 1000),
    subject,
    runId: runId === "" ? null : runId,
  };
}

/**
 * The same in a run's workspace: `commit` is null for the run's own changes. The files are read as
 * a tree of the repository, so that no link in the workspace is followed.
 */
export async function blameWorkspace(
  repository: Repository,
  workspace: Workspace,
  at: SourceLine,
): Promise<LineOrigin> {
  assertSourceFile(at.file);
  const tree = await treeId(repository, workspace);
  // The same files and base produce the same commit, so repeating this writes nothing.
  const unresolved = await writeCommit(repository, {
    tree,
    parent: workspace.baseCommit,
    message: "Look\n",
    author: actorIdentity("Vitrine"),
    at: 0,
  });
  const origin = await blameLine(repository, unresolved, at);
  return origin.commit === unresolved ? { ...origin, commit: null } : origin;
}
