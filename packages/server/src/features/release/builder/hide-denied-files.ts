import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

// Under Node's permission model a look at a forbidden path throws ERR_ACCESS_DENIED. Vite and Astro look
// for configuration in every folder above the site and stop only where a file is missing, so for them
// what is forbidden is missing. Imported first by the builder.

type AnyFunction = (...args: unknown[]) => unknown;

function asMissing(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException | null)?.code !== "ERR_ACCESS_DENIED") return error;
  return Object.assign(new Error("ENOENT: no such file or directory", { cause: error }), {
    code: "ENOENT",
    errno: -2,
  });
}

function wrapSync(
  name: "existsSync" | "statSync" | "lstatSync" | "readFileSync" | "readdirSync",
): void {
  const original = fs[name] as AnyFunction;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      try {
        return original(...args);
      } catch (error) {
        const missing = asMissing(error);
        if (name === "existsSync") return false;
        const options = args[1] as { throwIfNoEntry?: boolean } | undefined;
        if (missing !== error && options?.throwIfNoEntry === false) return undefined;
        throw missing;
      }
    },
  });
}

function wrapPromise(name: "stat" | "lstat" | "readFile" | "access" | "readdir"): void {
  const original = fs.promises[name] as AnyFunction;
  Object.assign(fs.promises, {
    [name]: async (...args: unknown[]) => {
      try {
        return await original(...args);
      } catch (error) {
        throw asMissing(error);
      }
    },
  });
}

if ("permission" in process && process.permission !== undefined) {
  for (const name of [
    "existsSync",
    "statSync",
    "lstatSync",
    "readFileSync",
    "readdirSync",
  ] as const) {
    wrapSync(name);
  }
  for (const name of ["stat", "lstat", "readFile", "access", "readdir"] as const) wrapPromise(name);
  syncBuiltinESMExports();
}
