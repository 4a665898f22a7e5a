import type { Session } from "./devtools.ts";
import type { Visit } from "./visit.ts";

type Entry = Visit["console"][number];

/** Errors that a page's own scripts report. */
export interface ConsoleWatch {
  start(): void;
  /** Paused while the engines run, whose messages aren't the page's. */
  pause(paused: boolean): void;
  entries(): Entry[];
}

const maxEntries = 50;
const cut = (text: string, max: number): string => text.slice(0, max);

interface Remote {
  type: string;
  value?: unknown;
  description?: string;
}

/** An argument of `console.error` as a console shows it. */
function formatRemote({ type, value, description }: Remote): string {
  if (type === "string") return String(value);
  return description ?? (value === undefined ? type : JSON.stringify(value));
}

/** Replaces `%s`, `%d`, `%o`, and `%c` in the text (Console standard, 2.2.1). */
function formatted(args: readonly Remote[]): string {
  const texts = args.map(formatRemote);
  const [first = "", ...rest] = texts;
  if (args[0]?.type !== "string" || !/%[sdifoOc]/.test(first)) return texts.join(" ");
  const head = first.replace(/%([sdifoOc])/g, (whole, kind: string) => {
    const next = rest.shift();
    return next === undefined ? whole : kind === "c" ? "" : next;
  });
  return [head, ...rest].join(" ");
}

interface Trace {
  callFrames: readonly {
    functionName: string;
    url: string;
    lineNumber: number;
    columnNumber: number;
  }[];
}

function stackOf(trace: Trace | undefined): string | null {
  const frames = trace?.callFrames ?? [];
  if (frames.length === 0) return null;
  const lines = frames
    .slice(0, 10)
    .map((at) => `at ${at.functionName || "?"} (${at.url}:${at.lineNumber + 1})`);
  return cut(lines.join("\n"), 1000);
}

/**
 * Listens to the console of the page's main frame. The browser's own messages, such as failed
 * files, are reported from the traffic.
 */
export async function watchConsole(session: Session, frameId: string): Promise<ConsoleWatch> {
  let entries: Entry[] = [];
  let paused = false;
  const own = new Set<number>();
  const add = (entry: Entry) => {
    if (!paused && entries.length < maxEntries) entries.push(entry);
  };
  session.on("Runtime.executionContextCreated", ({ context }) => {
    const { isDefault, frameId: frame } = context.auxData ?? {};
    if (String(isDefault) === "true" && frame === frameId) own.add(context.id);
  });
  session.on("Runtime.consoleAPICalled", ({ type, args, stackTrace, executionContextId }) => {
    if ((type !== "error" && type !== "assert") || !own.has(executionContextId)) return;
    const at = stackTrace?.callFrames[0];
    const text = formatted(args);
    add({
      kind: "error",
      text: cut(type === "assert" ? `Assertion failed: ${text}` : text, 1000),
      url: at?.url ?? "",
      line: at ? at.lineNumber + 1 : null,
      stack: stackOf(stackTrace),
    });
  });
  session.on("Runtime.exceptionThrown", ({ exceptionDetails: details }) => {
    const { executionContextId, exception, stackTrace } = details;
    if (executionContextId !== undefined && !own.has(executionContextId)) return;
    const at = stackTrace?.callFrames[0];
    const described = exception?.description ?? (exception ? formatRemote(exception) : "");
    add({
      kind: "exception",
      text: cut(described.split("\n")[0] || details.text, 1000),
      url: at?.url || details.url || "",
      line: (at?.lineNumber ?? details.lineNumber) + 1,
      stack: stackOf(stackTrace) ?? (described ? cut(described, 1000) : null),
    });
  });
  return {
    start() {
      entries = [];
      paused = false;
      own.clear();
    },
    pause(now) {
      paused = now;
    },
    entries: () => entries,
  };
}
