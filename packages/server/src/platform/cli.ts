import type { Clock } from "../kit/clock.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/connect.ts";
import type { Log } from "./log.ts";
import type { Keys } from "./secrets.ts";

/** The instance of a command: its configuration, its migrated database, and its keys. */
export interface OpenedInstance {
  config: Config;
  database: Database;
  keys: Keys;
}

/**
 * The context of each command. A command registers itself with `registerXxxCommands(program,
 * context)`, does its work in an async action, and ends with one `print` or `printNothingToDo`;
 * errors become the error envelope and the exit code.
 */
export interface CliContext {
  clock: Clock;
  log: Log;
  /**
   * Opens the instance of VITRINE_DIR or --dir, once; it is closed when the command ends. Throws
   * `unavailable` if nothing is installed there or its schema isn't this program's.
   */
  open(): Promise<OpenedInstance>;
  /**
   * Prints the result: one JSON envelope on stdout, or readable lines with --pretty. Exit code 0.
   */
  print(data: unknown): void;
  /** The same for a command that had nothing to do. Exit code 3. */
  printNothingToDo(data: unknown): void;
  /**
   * Reads a secret: without echo from a terminal (twice with `confirm`), otherwise all of stdin
   * without its last newline. Never from arguments. Throws `validation_failed` if it is empty or
   * longer than 16 KiB.
   */
  readSecret(label: string, options?: { confirm?: boolean }): Promise<string>;
}
