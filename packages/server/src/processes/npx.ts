// The program of the published package: without a command, it installs and starts a site.
import { findCommand } from "./find-command.ts";

const args = process.argv.slice(2);
const first = findCommand(args);
const isAboutProgram = first !== undefined && /^(?:--help|-h|--version|-V)$/.test(first);
if (!isAboutProgram && (first === undefined || first.startsWith("-"))) {
  process.argv.splice(2, 0, "quickstart", "--pretty");
}
await import("./main.ts");
