import { findTestNeeds } from "./test-needs.ts";

/** How many nodes each instance has, with a web process and a runner each. */
export const nodeCount = 3;

/**
 * The end-to-end tests whose instances are one node by nature, with the reason. Each of them passes or
 * fails in the ordinary run.
 */
export const oneNodeTests: Record<string, string> = {
  "backup.test.ts": "a backup as a file, and the restore of one folder",
  "boundary.test.ts": "measures the processor time of one machine's web and runner",
  "database-move.test.ts": "moves SQLite's file to PostgreSQL",
  "dev.test.ts": "`npm run dev`, with a folder of its own",
  "front.test.ts": "one machine's front and its socket",
  "idle.test.ts": "measures the processor time of one machine at rest",
  "many-sites.test.ts":
    "reads further sites' SQLite files; sites-on-nodes.test.ts has several nodes",
  "nodes.test.ts": "starts its own nodes",
  "npm-package.test.ts": "installs the npm package",
  "overload.test.ts": "measures one machine's web and runner under load",
  "password.test.ts": "pages in the test's own process",
  "postgres.test.ts": "one node on PostgreSQL; in this mode, all are",
  "runners.test.ts": "a second runner on one machine's folder; in this mode, each node has its own",
  "sites-on-nodes.test.ts": "starts its own nodes",
  "start.test.ts": "one machine's supervisor",
  "upgrade.test.ts": "replaces one machine's program",
  "upload-kill.test.ts":
    "files of uploads on one disk; nodes.test.ts and shared-uploads.test.ts have those of nodes",
};

/**
 * What the mode runs and leaves out of the end-to-end tests in `root`, by path.
 * @param isChosen whether the paths among the arguments select a file
 */
export function selectNodesTests(
  root: string,
  isChosen: (file: string) => boolean,
): { run: string[]; leftOut: { file: string; reason: string }[]; withoutInstance: number } {
  const files = [...findTestNeeds(root, ["test/e2e/**/*.test.ts"])].filter(([file]) =>
    isChosen(file),
  );
  const started = files.filter(([, { instance }]) => instance).map(([file]) => file);
  const reasonOf = (file: string) => oneNodeTests[file.slice("test/e2e/".length)];
  return {
    run: started.filter((file) => reasonOf(file) === undefined),
    leftOut: started.flatMap((file) => {
      const reason = reasonOf(file);
      return reason === undefined ? [] : [{ file, reason }];
    }),
    withoutInstance: files.length - started.length,
  };
}
