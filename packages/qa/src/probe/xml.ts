import { SaxesParser } from "saxes";

/** Where XML isn't well-formed; line and column from 1. */
export interface XmlError {
  line: number;
  column: number;
  message: string;
}

export interface XmlReader {
  /**
   * `name` has no prefix and is in lower case; `path` contains the names of the ancestors and its
   * own.
   */
  open?(name: string, attributes: Readonly<Record<string, string>>, path: readonly string[]): void;
  /** The complete text of an element that has ended, trimmed. */
  close?(name: string, text: string, path: readonly string[], line: number): void;
}

/** The maximum of text kept for each element, and the maximum nesting depth. */
const maxTextLength = 10_000;
const deepest = 200;

class Malformed extends Error {}

const local = (name: string): string => name.slice(name.indexOf(":") + 1).toLowerCase();

/**
 * Parses XML and passes its elements to a reader. Entities that a document defines are errors:
 * nothing is expanded. Returns where parsing fails; null if the document is well-formed.
 */
export function readXml(text: string, reader: XmlReader): XmlError | null {
  const parser = new SaxesParser({ position: true });
  const path: string[] = [];
  const texts: string[] = [];
  let error: XmlError | null = null;
  const fail = (message: string): never => {
    error ??= { line: parser.line, column: parser.columnIndex + 1, message };
    throw new Malformed(message);
  };
  const take = (data: string) => {
    const last = texts.length - 1;
    const known = texts[last];
    if (known !== undefined && known.length < maxTextLength) texts[last] = known + data;
  };
  parser.on("error", (cause) => fail(cause.message.replace(/^\d+:\d+:\s*/, "")));
  parser.on("opentag", ({ name, attributes }) => {
    path.push(local(name));
    texts.push("");
    if (path.length > deepest) fail(`It nests deeper than ${deepest} elements.`);
    reader.open?.(path.at(-1) ?? "", attributes as Record<string, string>, path);
  });
  parser.on("text", take);
  parser.on("cdata", take);
  parser.on("closetag", () => {
    reader.close?.(path.at(-1) ?? "", (texts.pop() ?? "").trim(), path, parser.line);
    path.pop();
  });
  try {
    parser.write(text.replace(/^\uFEFF/, "")).close();
  } catch (cause) {
    if (!(cause instanceof Malformed)) throw cause;
  }
  return error;
}
