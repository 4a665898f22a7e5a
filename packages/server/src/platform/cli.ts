import type { Clock } from "../kit/clock.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/connect.ts";
import type { Log } from "./log.ts";
import type { Keys } from "./secrets.ts";

/** An instance that a command works on: its configuration, its migrated database and its keys. */
export interface OpenedInstance {
  config: Config;
  database: Database;
  keys: Keys;
}

/**
 * What the command line gives each command. A command registers itself with
 * `registerXxxCommands(program, context)`, does its work in an async action and ends with one
 * `print` or `printNothingToDo`; what it throws becomes the error envelope and the exit code.
 */
export interface CliContext {
  clock: Clock;
  log: Log;
  /**
   * Opens the instance of VITRINE_DIR or --dir, once; it is closed when the command has ended.
   * Throws `unavailable` when nothing is installed there or its schema is not this program's.
   */
  open(): Promise<OpenedInstance>;
  /** Writes the answer: one JSON envelope on stdout, or readable lines with --pretty. Exit code 0. */
  print(data: unknown): void;
  /** The same for a command that found nothing to do. Exit code 3. */
  printNothingToDo(data: unknown): void;
  /**
   * Asks for a secret: without echo on a terminal (twice with `confirm`), else all of stdin without
   * its last newline. Never from arguments. Throws `validation_failed` when empty or over 16 KiB.
   */
  readSecret(label: string, options?: { confirm?: boolean }): Promise<string>;
}
