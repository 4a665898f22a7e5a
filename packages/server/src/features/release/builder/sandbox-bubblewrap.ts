import { existsSync } from "node:fs";
import { join } from "node:path";
import { platformRoot, programFile } from "../../../platform/paths.ts";
import { type Binding, bubblewrapCommand } from "../../../platform/sandbox/bubblewrap.ts";
import type { Command } from "../../../platform/sandbox/command.ts";
import { type CodeUse, codeFolderName, type CompiledCode, madeFolder } from "./code-cache.ts";
import {
  programBindings,
  programEnvironment,
  programFolder,
} from "../../../platform/sandbox/program-files.ts";
import {
  type BuilderPaths,
  processBounds,
  type SandboxBounds,
  type Slot,
} from "./sandbox-bounds.ts";

/** Where things are as the code inside the sandbox sees them. */
export const insidePaths: BuilderPaths = {
  script: programFile(`${programFolder}/packages/server/src/features/release/builder/builder.ts`),
  site: "/site",
  out: "/out",
  temporary: "/tmp",
};

/** tmpfs is memory that no watchdog sees: it is kept small. */
const scratch = [
  { folder: insidePaths.temporary, bytes: 256 * 1024 * 1024 },
  { folder: `${insidePaths.site}/app/.astro`, bytes: 32 * 1024 * 1024 },
];

/** Where the program's compiled code is. */
const codeFolder = "/code";

const environment: Record<string, string> = {
  PATH: "/",
  HOME: insidePaths.temporary,
  TMPDIR: insidePaths.temporary,
  NODE_ENV: "production",
  ASTRO_TELEMETRY_DISABLED: "1",
  NO_COLOR: "1",
  LANG: "C.UTF-8",
  UV_THREADPOOL_SIZE: "4",
};

/** The program's own files, the site's sources and the one folder that may be written. */
function bindings(slot: Slot, code: CompiledCode | null): Binding[] {
  const list: Binding[] = [
    ...programBindings(),
    { from: slot.site, to: insidePaths.site },
    { from: slot.out, to: insidePaths.out, writable: true },
  ];
  if (code !== null) {
    list.push({ from: code.folder, to: join(codeFolder, codeFolderName(code, slot)) });
  }
  const template = join(platformRoot, "packages/template");
  if (existsSync(template)) list.push({ from: template, to: `${programFolder}/packages/template` });
  return list;
}

/**
 * The command that runs Node (paths as seen inside) in a slot's sandbox: it sees the program, its
 * compiled code, and the site's sources, all read-only, and may write the slot's output folder.
 */
export function builderCommand(
  slot: Slot,
  bounds: SandboxBounds,
  nodeArguments: string[],
  code: CodeUse,
): Command {
  const cache = code === "make" ? join(insidePaths.out, madeFolder) : codeFolder;
  return bubblewrapCommand({
    program: ["/node", ...nodeArguments],
    bindings: bindings(slot, code === "make" ? null : code),
    scratch,
    environment: {
      ...environment,
      ...(code !== null && { NODE_COMPILE_CACHE: cache }),
      ...programEnvironment(),
    },
    bounds: processBounds(bounds),
    uid: slot.uid,
  });
}
