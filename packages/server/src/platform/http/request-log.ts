import type { FastifyBaseLogger } from "fastify";

type Bindings = Parameters<FastifyBaseLogger["child"]>[0];
type ChildOptions = Parameters<FastifyBaseLogger["child"]>[1];

/**
 * A request's own logger, made when something is logged for the first time: hardly any request does,
 * and making it, with all that it checks for secrets, takes as long as the rest of a small response.
 */
export class RequestLog implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Bindings;
  readonly #options: ChildOptions;
  #own: FastifyBaseLogger | undefined;

  /**
   * @param parent the server's logger
   * @param bindings what every line of the request has
   * @param options such as the level of its route
   */
  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: ChildOptions) {
    this.#parent = parent;
    this.#bindings = bindings;
    this.#options = options;
  }

  get #log(): FastifyBaseLogger {
    this.#own ??= this.#parent.child(this.#bindings, this.#options);
    return this.#own;
  }

  get level(): string {
    return this.#log.level;
  }
  set level(level: string) {
    this.#log.level = level;
  }

  child(bindings: Bindings, options?: ChildOptions): FastifyBaseLogger {
    return this.#log.child(bindings, options);
  }
  trace(...line: unknown[]): void {
    this.#write("trace", line);
  }
  debug(...line: unknown[]): void {
    this.#write("debug", line);
  }
  info(...line: unknown[]): void {
    this.#write("info", line);
  }
  warn(...line: unknown[]): void {
    this.#write("warn", line);
  }
  error(...line: unknown[]): void {
    this.#write("error", line);
  }
  fatal(...line: unknown[]): void {
    this.#write("fatal", line);
  }
  silent(): void {}

  #write(
    level: "trace" | "debug" | "info" | "warn" | "error" | "fatal",
    line: readonly unknown[],
  ): void {
    const log = this.#log;
    Reflect.apply(log[level], log, line);
  }
}
