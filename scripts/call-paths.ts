/**
 * The call paths of docs/architecture.md: how one request goes through the files of the program. A
 * path has at most ten files. Each hop is checked in the
 * source: the file before imports it and calls what it defines, or the hop says what connects the two.
 * `--write` puts the paths into docs/architecture.md; without it they must be there already.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { platformRoot } from "../packages/server/src/platform/paths.ts";

const maxFiles = 10;

interface Hop {
  file: string;
  /**
   * What the file defines and the file before it calls; for the first hop, the address of the
   * route.
   */
  name: string;
  does: string;
  /** The file of the path that calls it, if it isn't the previous one. */
  from?: string;
  /** What connects the two if the caller doesn't import the file. */
  via?: string;
  /** The file that makes that connection, and imports this one. */
  connectedBy?: string;
}

interface CallPath {
  title: string;
  hops: Hop[];
}

const paths: CallPath[] = [
  {
    title: "`POST /devconsole/run` to the agent's first tool call",
    hops: [
      {
        file: "packages/server/src/features/runs/routes/commands.ts",
        name: "/devconsole/run",
        does: "the route",
      },
      {
        file: "packages/server/src/features/runs/runs.ts",
        name: "start",
        does: "starts and controls runs",
      },
      {
        file: "packages/server/src/features/runs/start-run.ts",
        name: "startRun",
        does: "stores the queued run",
      },
      {
        file: "packages/server/src/features/runs/worker.ts",
        name: "enqueue",
        from: "packages/server/src/features/runs/runs.ts",
        does: "takes the run when its turn comes and creates its `Execution`",
      },
      {
        file: "packages/server/src/features/runs/execute-edit.ts",
        name: "executeEdit",
        does: "runs workspace, agent, build, checks, repairs, preview",
      },
      {
        file: "packages/server/src/features/agent/model.ts",
        name: "open",
        via: "the interface `Agent`",
        connectedBy: "packages/server/src/processes/run-dependencies.ts",
        does: "opens the agent on the configured model",
      },
      {
        file: "packages/server/src/features/agent/loop.ts",
        name: "openLoop",
        does: "runs the loop: model, tools, model",
      },
      {
        file: "packages/server/src/features/agent/model-step.ts",
        name: "runStep",
        does: "requests one response from the model",
      },
      {
        file: "packages/server/src/features/agent/tools/toolbox.ts",
        name: "call",
        from: "packages/server/src/features/agent/loop.ts",
        does: "validates a call's input, runs the tool, reports it",
      },
      {
        file: "packages/server/src/features/agent/tools/write.ts",
        name: "run",
        does: "a tool that writes a file",
      },
    ],
  },
  {
    title: "saving a project to its row and the rebuild request",
    hops: [
      {
        file: "packages/server/src/features/projects/api.ts",
        name: "/api/adminprojects/save",
        does: "the route",
      },
      {
        file: "packages/server/src/features/projects/projects.ts",
        name: "save",
        does: "opens the transaction",
      },
      {
        file: "packages/server/src/features/projects/write.ts",
        name: "changeProject",
        does: "checks the version, the slug, and the gallery",
      },
      {
        file: "packages/server/src/features/projects/store.ts",
        name: "updateProject",
        does: "writes the row",
      },
      {
        file: "packages/server/src/processes/request-rebuild.ts",
        name: "onChange",
        from: "packages/server/src/features/projects/projects.ts",
        via: "the dependency `onChange`",
        connectedBy: "packages/server/src/processes/records.ts",
        does: "requests a rebuild of the site",
      },
      {
        file: "packages/server/src/features/release/rebuild-requests.ts",
        name: "requestRebuild",
        does: "combines pending requests",
      },
      {
        file: "packages/server/src/features/release/rebuild-store.ts",
        name: "upsertPending",
        does: "writes the request",
      },
    ],
  },
  {
    title: "an upload to the stored image",
    hops: [
      {
        file: "packages/server/src/features/media/upload/receive-route.ts",
        name: "/api/media/upload",
        does: "the route",
      },
      {
        file: "packages/server/src/features/media/upload/receive.ts",
        name: "receiveForm",
        does: "receives the form into a file",
      },
      {
        file: "packages/server/src/features/media/upload/upload-queue.ts",
        name: "add",
        from: "packages/server/src/features/media/upload/receive-route.ts",
        does: "keeps the upload's job up to date",
      },
      {
        file: "packages/server/src/features/media/library/library.ts",
        name: "ingest",
        does: "serializes uploads of the same bytes",
      },
      {
        file: "packages/server/src/features/media/library/ingest.ts",
        name: "ingest",
        does: "converts, places the files, stores the row",
      },
      {
        file: "packages/server/src/features/media/image/workers.ts",
        name: "convert",
        does: "provides a process for the image",
      },
      {
        file: "packages/server/src/features/media/image/worker.ts",
        name: "write",
        via: "the standard input of the process",
        does: "runs in that process",
      },
      {
        file: "packages/server/src/features/media/image/convert.ts",
        name: "convertImage",
        does: "makes the image and its variants",
      },
      {
        file: "packages/server/src/features/media/library/files.ts",
        name: "place",
        from: "packages/server/src/features/media/library/ingest.ts",
        does: "moves the files into the media folder",
      },
      {
        file: "packages/server/src/features/media/store.ts",
        name: "insertMedia",
        from: "packages/server/src/features/media/library/ingest.ts",
        does: "writes the row",
      },
    ],
  },
  {
    title: "a QA fix to the queued task",
    hops: [
      {
        file: "packages/server/src/features/qa/fix/api.ts",
        name: "/api/adminqa/fix",
        does: "the route",
      },
      {
        file: "packages/server/src/features/qa/fix/fix.ts",
        name: "fixFinding",
        does: "locks the finding and finds or creates its task",
      },
      {
        file: "packages/server/src/features/tasks/queue/queue.ts",
        name: "queueTask",
        does: "creates the task with its scope and its first event",
      },
      {
        file: "packages/server/src/features/tasks/store.ts",
        name: "insertTask",
        does: "writes the row",
      },
    ],
  },
];

function read(file: string): string {
  return readFileSync(join(platformRoot, file), "utf8");
}

/** The files that a file references in an import or a URL. */
function importsOf(file: string): Set<string> {
  const folder = dirname(join(platformRoot, file));
  const specifiers = read(file).matchAll(/(?:from|import\(|new URL\()\s*"(\.[^"]+)"/g);
  return new Set(
    [...specifiers].map(([, specifier = ""]) => relative(platformRoot, resolve(folder, specifier))),
  );
}

function problemsOf({ title, hops }: CallPath): string[] {
  const problems: string[] = [];
  if (hops.length > maxFiles) problems.push(`${title}: ${hops.length} files, at most ${maxFiles}`);
  for (const [at, hop] of hops.entries()) {
    const { file, name, via, connectedBy } = hop;
    if (!existsSync(join(platformRoot, file))) {
      problems.push(`${title}: there is no ${file}`);
      continue;
    }
    const caller = hop.from ?? hops[at - 1]?.file;
    if (caller === undefined) {
      if (!read(file).includes(`"${name}"`))
        problems.push(`${title}: ${file} has no route ${name}`);
      continue;
    }
    if (!hops.slice(0, at).some((before) => before.file === caller)) {
      problems.push(`${title}: ${caller} is not on the path before ${file}`);
    }
    if (!new RegExp(`\\b${name}(?:<[^(]*>)?\\(`).test(read(caller))) {
      problems.push(`${title}: ${caller} doesn't call ${name}`);
    }
    const importer = connectedBy ?? (via === undefined ? caller : null);
    if (importer !== null && !importsOf(importer).has(file)) {
      problems.push(`${title}: ${importer} doesn't import ${file}`);
    }
    if (via !== undefined) continue;
    // A function, or a member of an object that the file makes.
    if (!new RegExp(`\\b${name}(?:<[^(]*>)?(?:\\(|:|,\\n)`).test(read(file))) {
      problems.push(`${title}: ${file} doesn't define ${name}`);
    }
  }
  return problems;
}

const short = (file: string) => file.replace("packages/server/src/", "");

/** Its lines in docs/architecture.md. */
function describe({ title, hops }: CallPath): string {
  const lines = hops.map(({ file, does, via, connectedBy }, at) => {
    const wiring = connectedBy === undefined ? "" : `, which \`${short(connectedBy)}\` provides`;
    const connection = via === undefined ? "" : ` (by ${via}${wiring})`;
    return `${at + 1}. \`${short(file)}\`: ${does}${connection}`;
  });
  return `From ${title}:\n\n${lines.join("\n")}`;
}

const docs = "docs/architecture.md";
const [start, end] = ["<!-- call paths -->", "<!-- /call paths -->"];

function main(): void {
  const problems = paths.flatMap(problemsOf);
  const text = read(docs);
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${docs} has no place for the call paths.`);
  const section = `${start}\n\n${paths.map(describe).join("\n\n")}\n\n`;
  const next = text.slice(0, from) + section + text.slice(to);
  if (process.argv.includes("--write")) writeFileSync(join(platformRoot, docs), next);
  else if (next !== text) problems.push(`${docs} is out of date: npm run call-paths -- --write`);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

main();
