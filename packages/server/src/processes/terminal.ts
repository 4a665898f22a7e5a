import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import type { ReadStream } from "node:tty";
import { ok, type Success } from "../kit/envelope.ts";
import { type Failure, failure } from "../kit/failure.ts";
import { AppError } from "../kit/errors.ts";

/** JSON without control sequences of terminals; parses to the same value. */
const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replace(
    /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )}\n`;

/** The streams of the command line. */
export interface Streams {
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
}

const maxSecretBytes = 16 * 1024;

function isTerminal(stream: Readable): stream is ReadStream {
  return (stream as Partial<ReadStream>).isTTY === true;
}

function describe(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return " none\n";
    const items = value.map((item) => describe(item, `${indent}  `).replace(/^\n\s*/, " "));
    return `\n${items.map((item) => `${indent}-${item}`).join("")}`;
  }
  if (typeof value === "object" && value !== null) {
    const lines = Object.entries(value).map(
      ([key, inner]) => `${indent}${key}:${describe(inner, `${indent}  `)}`,
    );
    return `\n${lines.join("")}`;
  }
  return ` ${value === null ? "–" : String(value)}\n`;
}

/** The envelope as readable lines. */
function prettyEnvelope(envelope: Success<unknown> | Failure): string {
  if (envelope.ok) return describe(envelope.data, "").replace(/^\n/, "").trimStart();
  const { code, message, fields, details } = envelope.error;
  const more = { ...(fields ? { fields } : {}), ...(details === undefined ? {} : { details }) };
  return `${message} (${code})\n${Object.keys(more).length > 0 ? describe(more, "  ").slice(1) : ""}`;
}

/** Writes the result of a command: JSON on one line, or readable lines. */
export function writeResult(streams: Streams, data: unknown, pretty: boolean): void {
  const envelope = ok(data);
  streams.stdout.write(pretty ? prettyEnvelope(envelope) : jsonLine(envelope));
}

/** Writes the error of a failed command. */
export function writeFailure(streams: Streams, error: AppError, pretty: boolean): void {
  const envelope = failure(error);
  streams.stdout.write(pretty ? prettyEnvelope(envelope) : jsonLine(envelope));
}

/** Reads one line from a terminal without echo. Throws `bad_request` on Ctrl-C or Ctrl-D. */
function readHidden(terminal: ReadStream, output: Writable, label: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let typed = "";
  const finish = (settle: () => void) => {
    terminal.off("data", onData);
    terminal.setRawMode(false);
    terminal.pause();
    output.write("\n");
    settle();
  };
  const onData = (chunk: string) => {
    for (const character of chunk) {
      if (character === "\r" || character === "\n") return finish(() => resolve(typed));
      if (character === "\u0003" || character === "\u0004") {
        return finish(() => reject(new AppError("bad_request", "Nothing was entered.")));
      }
      typed = character === "\u007F" || character === "\b" ? typed.slice(0, -1) : typed + character;
    }
  };
  output.write(`${label}: `);
  terminal.setEncoding("utf8");
  terminal.setRawMode(true);
  terminal.on("data", onData);
  terminal.resume();
  return promise;
}

async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    size += bytes.length;
    if (size > maxSecretBytes) throw new AppError("validation_failed", "That is too long.");
    chunks.push(bytes);
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

/**
 * Reads a secret from a hidden prompt, twice with `confirm`, or from stdin if it isn't a terminal.
 * Throws `validation_failed` if it is empty, too long, or the two differ.
 */
export async function readSecret(
  streams: Streams,
  label: string,
  options: { confirm?: boolean } = {},
): Promise<string> {
  const { stdin, stderr } = streams;
  if (!isTerminal(stdin)) return assertGiven(await readAll(stdin), label);
  const secret = assertGiven(await readHidden(stdin, stderr, label), label);
  if (options.confirm && (await readHidden(stdin, stderr, `${label} (again)`)) !== secret) {
    throw new AppError("validation_failed", "The two entries don't match.");
  }
  return secret;
}

function assertGiven(secret: string, label: string): string {
  if (secret !== "") return secret;
  throw new AppError("validation_failed", `${label} is empty.`);
}

/** A question with a default for an empty line or the end of the input. */
export interface Prompt {
  label: string;
  fallback: string;
}

/** Asks line by line on stderr and returns the answers in order. */
export async function promptAll(streams: Streams, questions: readonly Prompt[]): Promise<string[]> {
  const { stdin: input, stderr: output } = streams;
  const lines = createInterface({ input, output, terminal: isTerminal(input) });
  const given = lines[Symbol.asyncIterator]();
  const answers: string[] = [];
  for (const { label, fallback } of questions) {
    output.write(`${label} [${fallback}]: `);
    const next = await given.next();
    answers.push((next.done ? "" : next.value.trim()) || fallback);
  }
  lines.close();
  return answers;
}
