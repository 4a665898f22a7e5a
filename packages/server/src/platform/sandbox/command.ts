import { existsSync } from "node:fs";

/** What one command of a sandbox may take of the machine. */
export interface ProcessLimits {
  /** Processes and threads in all; counted only where the sandbox has a user namespace of its own. */
  processes: number;
  /** Size of one written file. */
  fileBytes: number;
  /** Private memory of one process, reserved or used: thread stacks count. */
  dataBytes: number;
  /** CPU time of one process. */
  cpuSeconds: number;
}

/** A program and its fixed arguments. */
export interface Command {
  command: string;
  args: string[];
}

/** The command that a list of words is: the program, then its arguments. */
export function commandOf(line: string[]): Command {
  const [command = "", ...args] = line;
  return { command, args };
}

/** Fixed arguments, written as one would type them. */
export function splitArguments(text: string): string[] {
  return text.split(" ");
}

/** prlimit's arguments for what each process may take, in every tier. */
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
 * prlimit where the system has it, to put before a program that runs without a sandbox. The number of
 * processes is not bounded there: it is counted per user.
 */
export function prlimitPrefix(bounds: ProcessLimits): string[] {
  const prlimit = "/usr/bin/prlimit";
  if (!existsSync(prlimit)) return [];
  return [prlimit, ...processLimits(bounds), "--"];
}
