import { z } from "zod";
import { renameKeys } from "../../kit/renamed-keys.ts";
import { type ToolCall, type ToolCallResult, type Entry, notExecuted } from "./conversation.ts";
import { shrinkToFit } from "./conversation-size.ts";
import { projectsFile } from "../workspace/content-paths.ts";

/** The conversation of a run, stored so that a later run can continue it. */
export interface SavedConversation {
  entries: Entry[];
  /** Changed files, for the commit message. */
  changed: string[];
  /** Hashes of the files as the model last saw them. */
  readHashes: Record<string, string>;
}

const maxStoredLength = 2 * 1024 * 1024;
const maxFiles = 4000;

const name = z.string().max(400);
const savedImage = z.object({ name, mediaType: z.string().max(100) });
const savedCall = z.object({ id: name, name, input: z.unknown() });
const savedResult = z.object({ id: name, name, ok: z.boolean(), text: z.string() });

const savedEntry = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("owner"),
    userText: z.string(),
    text: z.string(),
    images: z.array(savedImage),
  }),
  z.object({ kind: z.literal("note"), text: z.string() }),
  z.object({ kind: z.literal("answer"), text: z.string(), calls: z.array(savedCall) }),
  z.object({
    kind: z.literal("results"),
    results: z.array(savedResult),
    images: z.array(savedImage),
  }),
]);

const saved = z.object({
  version: z.literal(1),
  boundary: z.string().regex(/^[0-9a-f]{16}$/),
  entries: z.array(savedEntry).max(10_000),
  changed: z.array(name).max(maxFiles),
  readHashes: z.record(name, z.string().max(64)),
});
type Saved = z.infer<typeof saved>;
type SavedEntry = Saved["entries"][number];

function storedImages(entry: Extract<Entry, { images: unknown }>) {
  return entry.images.map((image) => ({ name: image.name, mediaType: image.mediaType }));
}

function stored(entry: Entry): SavedEntry {
  if (entry.kind === "note") return entry;
  if (entry.kind === "answer") {
    return { kind: "answer", text: entry.text, calls: entry.calls };
  }
  return { ...entry, images: storedImages(entry) };
}

/**
 * Serializes a conversation to at most 2 MiB, with images by name only and without
 * provider-specific parts. Older tool results are shortened first.
 */
export function writeConversation(boundary: string, conversation: SavedConversation): string {
  const textOf = (entries: readonly Entry[]) =>
    JSON.stringify({
      version: 1,
      boundary,
      entries: entries.map(stored),
      changed: conversation.changed.slice(0, maxFiles),
      readHashes: Object.fromEntries(Object.entries(conversation.readHashes).slice(-maxFiles)),
    } satisfies Saved);
  const whole = textOf(conversation.entries);
  if (Buffer.byteLength(whole) <= maxStoredLength) return whole;
  const weigh = (entries: readonly Entry[]) => Buffer.byteLength(textOf(entries));
  return textOf(shrinkToFit(conversation.entries, maxStoredLength, weigh));
}

function withBytes(images: { name: string; mediaType: string }[]) {
  return images.map((image) => ({ ...image, bytes: null }));
}

/** Providers accept only short plain names and only their own IDs. */
function plainName(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 60) || "unknown";
}

function numbered(calls: readonly ToolCall[], from: number): Map<string, ToolCall> {
  return new Map(
    calls.map((call, i) => [
      call.id,
      { id: `earlier_${from + i}`, name: plainName(call.name), input: call.input ?? {} },
    ]),
  );
}

/** The name of the exported records, which agents of earlier versions could read. */
const records = projectsFile.slice(projectsFile.lastIndexOf("/") + 1);
const leftOut = "No longer available.";

/** Removes the contents of files that agents can no longer read. */
function retainedText({ input }: ToolCall, text: string): string {
  const isOfRecords = text.includes(records) || JSON.stringify(input ?? {}).includes(records);
  return isOfRecords ? leftOut : text;
}

function resultsFor(
  calls: Map<string, ToolCall>,
  results: readonly ToolCallResult[],
): ToolCallResult[] {
  return [...calls].map(([id, call]) => {
    const found = results.find((result) => result.id === id);
    return {
      id: call.id,
      name: call.name,
      ok: found?.ok ?? false,
      text: found === undefined ? notExecuted : retainedText(call, found.text),
    };
  });
}

/**
 * Returns the entries in the only order that providers accept: each response's calls are followed
 * immediately by their results. A missing result is replaced by a note, and a result without its
 * call is removed.
 */
function inOrder(entries: readonly SavedEntry[]): Entry[] {
  const whole: Entry[] = [];
  let count = 0;
  for (const [at, entry] of entries.entries()) {
    if (entry.kind === "note") whole.push(entry);
    if (entry.kind === "owner") whole.push({ ...entry, images: withBytes(entry.images) });
    if (entry.kind !== "answer") continue;
    const calls = numbered(entry.calls as ToolCall[], count);
    count += entry.calls.length;
    whole.push({ kind: "answer", text: entry.text, calls: [...calls.values()], parts: null });
    if (calls.size === 0) continue;
    const next = entries[at + 1];
    const given = next?.kind === "results" ? next : { results: [], images: [] };
    whole.push({
      kind: "results",
      results: resultsFor(calls, given.results),
      images: withBytes(given.images),
    });
  }
  return whole;
}

/** Converts entries written by earlier versions to the current keys. */
function withPresentKeys(value: unknown): unknown {
  const whole = renameKeys(value, { seen: "readHashes" }) as { entries?: unknown } | null;
  if (!Array.isArray(whole?.entries)) return whole;
  const names = { words: "userText", pictures: "images" };
  return { ...whole, entries: whole.entries.map((entry) => renameKeys(entry, names)) };
}

/** Reads the output of `writeConversation`; null for anything else. */
export function readConversation(text: string): (SavedConversation & { boundary: string }) | null {
  if (Buffer.byteLength(text) > 2 * maxStoredLength) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = saved.safeParse(withPresentKeys(value));
  if (!parsed.success) return null;
  const { boundary, entries, changed, readHashes } = parsed.data;
  return { boundary, entries: inOrder(entries), changed, readHashes };
}
