import { existsSync } from "node:fs";

/** Limits of one command in a sandbox. */
export interface ProcessLimits {
  /** Processes and threads together; counted only if the sandbox has its own user namespace. */
  processes: number;
  /** Size of one written file. */
  fileBytes: number;
  /** Private memory of one process, reserved or used, including thread stacks. */
  dataBytes: number;
  /** CPU time of one process. */
  cpuSeconds: number;
}

/** A program and its fixed arguments. */
export interface Command {
  command: string;
  args: string[];
}

/** Splits a list of words into the program and its arguments. */
export function commandOf(line: string[]): Command {
  const [command = "", ...args] = line;
  return { command, args };
}

/** Fixed arguments, written as typed in a shell. */
export function splitArguments(text: string): string[] {
  return text.split(" ");
}

/** prlimit's arguments for the limits of each process, in every tier. */
export function processLimits(bounds: ProcessLimits): string[] {
  return [
    "--nofile=4096",
    `--fsize=${bounds.fileBytes}`,
    `--data=${bounds.dataBytes}`,
    `--cpu=${bounds.cpuSeconds}`,
    "--core=0",
  ];
}

/**
 * prlimit if the system has it, to put before a program without a sandbox. It doesn't limit the
 * number of processes, which would be counted per user.
 */
export function prlimitPrefix(bounds: ProcessLimits): string[] {
  const prlimit = "/usr/bin/prlimit";
  if (!existsSync(prlimit)) return [];
  return [prlimit, ...processLimits(bounds), "--"];
}
