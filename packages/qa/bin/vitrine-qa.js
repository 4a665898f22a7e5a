#!/usr/bin/env node
import { existsSync } from "node:fs";

// The repository runs the sources; the published package has only what they are compiled to.
const source = new URL("../src/command/main.ts", import.meta.url);
const compiled = new URL("../dist/command/main.js", import.meta.url);
const { runQaCommand } = await import((existsSync(source) ? source : compiled).href);
process.exitCode = await runQaCommand(process.argv.slice(2), process);
