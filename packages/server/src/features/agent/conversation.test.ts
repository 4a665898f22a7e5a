import { describe, expect, test } from "vitest";
import { type Entry, modelMessages } from "./conversation.ts";
import { shrinkToFit, totalSize } from "./conversation-size.ts";
import { readConversation, writeConversation } from "./conversation-store.ts";
import { mentionsOtherFiles } from "./commit-message.ts";
import { makeUntrustedDataQuoter } from "./prompts/untrusted-data.ts";

const untrusted = makeUntrustedDataQuoter("0123456789abcdef");

function owner(words: string): Entry {
  return { kind: "owner", userText: words, text: `The owner's message:\n${words}`, images: [] };
}

function step(i: number, size: number): Entry[] {
  const call = { id: `c${i}`, name: "read", input: { path: `file-${i}` } };
  const text = untrusted.quote("result of read", `result ${i} ${"x".repeat(size)}`);
  return [
    { kind: "answer", text: `I look at ${i}.`, calls: [call], parts: null },
    {
      kind: "results",
      results: [{ id: `c${i}`, name: "read", ok: true, text }],
      images: [{ name: "a.png", mediaType: "image/png", bytes: new Uint8Array(10) }],
    },
  ];
}

function steps(count: number, size: number): Entry[] {
  return Array.from({ length: count }, (_, i) => step(i, size)).flat();
}

function idsOf(entry: Entry | undefined): string[] {
  if (entry?.kind === "answer") return entry.calls.map(({ id }) => id);
  return entry?.kind === "results" ? entry.results.map(({ id }) => id) : [];
}

/** Calls without their results right behind them, and results without their calls. */
function unpaired(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry, i) => {
    const other = entry.kind === "answer" ? entries[i + 1] : entries[i - 1];
    if (entry.kind === "answer" && entry.calls.length === 0) return false;
    if (entry.kind !== "answer" && entry.kind !== "results") return false;
    return other?.kind === entry.kind || idsOf(entry).join() !== idsOf(other).join();
  });
}

describe("a conversation that becomes too large", () => {
  const long = [owner("First words"), ...steps(20, 5000), owner("Then this"), ...steps(2, 5000)];

  test("first gets its older results shortened; the last steps and the owner's messages stay whole", () => {
    const small = shrinkToFit(long, 60_000);
    expect(totalSize(small)).toBeLessThanOrEqual(60_000);
    expect(unpaired(small)).toEqual([]);
    expect(small.filter(({ kind }) => kind === "answer")).toHaveLength(22);
    expect(small.filter(({ kind }) => kind === "owner")).toEqual([long[0], long[41]]);
    expect(small.slice(-8)).toEqual(long.slice(-8));
    const [, , old] = small;
    const [result] = old?.kind === "results" ? old.results : [];
    expect(result?.text).toMatch(/shortened from \d+ characters\)\n<\/data-0123456789abcdef>$/);
    expect(old?.kind === "results" && old.images[0]?.bytes).toBeNull();
  });

  test("then loses older steps, and says how many", () => {
    const small = shrinkToFit(long, 45_000);
    expect(totalSize(small)).toBeLessThanOrEqual(45_000);
    expect(unpaired(small)).toEqual([]);
    expect(JSON.stringify(small)).toContain("18 earlier steps are left out");
    expect(small.slice(-9)).toEqual(long.slice(-9));
    const again = shrinkToFit([...small, ...steps(9, 5000)], 45_000);
    expect(JSON.stringify(again).match(/earlier steps are left out/g)).toHaveLength(1);
  });

  test("finally loses the oldest of the owner's messages, never the last", () => {
    const talk = Array.from({ length: 50 }, (_, i) => owner(`${i} ${"word ".repeat(200)}`));
    const small = shrinkToFit(talk, 5_000);
    expect(totalSize(small)).toBeLessThanOrEqual(5_000);
    expect(small.at(-1)).toEqual(talk.at(-1));
    expect(shrinkToFit([owner("x".repeat(9000))], 10)).toHaveLength(1);
  });

  test("stays as it is if it fits", () => {
    expect(shrinkToFit(long, 1e9)).toEqual(long);
  });
});

describe("a conversation as text", () => {
  const conversation = (entries: Entry[]) => ({
    entries,
    changed: ["a.astro"],
    readHashes: { a: "h" },
  });

  test("is restored as it was, without image data", () => {
    const entries = [owner("Words"), ...steps(2, 10), { kind: "note" as const, text: "Go on." }];
    const text = writeConversation(untrusted.boundary, conversation(entries));
    const back = readConversation(text);
    expect(back).toMatchObject({
      boundary: untrusted.boundary,
      changed: ["a.astro"],
      readHashes: { a: "h" },
    });
    expect(back?.entries.map(({ kind }) => kind)).toEqual(entries.map(({ kind }) => kind));
    expect(unpaired(back?.entries ?? [])).toEqual([]);
    expect(JSON.stringify(back)).toContain("result 1");
  });

  test("of an earlier version is read with its old names", () => {
    const image = { name: "a.png", mediaType: "image/png" };
    const entries = [{ kind: "owner", words: "Hi", text: "The owner: Hi", pictures: [image] }];
    const old = {
      version: 1,
      boundary: untrusted.boundary,
      entries,
      changed: [],
      seen: { a: "h" },
    };
    const { words: userText, pictures: _, ...same } = entries[0]!;
    expect(readConversation(JSON.stringify(old))).toEqual({
      boundary: untrusted.boundary,
      changed: [],
      readHashes: { a: "h" },
      entries: [{ ...same, userText, images: [{ ...image, bytes: null }] }],
    });
  });

  test("is at most 2 MiB", () => {
    const entries = [owner("Words"), ...steps(400, 20_000), ...steps(1, 10)];
    const wide = { kind: "note" as const, text: "ä".repeat(100_000) };
    const text = writeConversation(untrusted.boundary, conversation([...entries, wide]));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2 * 1024 * 1024);
    const back = readConversation(text);
    expect(unpaired(back?.entries ?? [])).toEqual([]);
    expect(back?.entries[0]).toMatchObject({ userText: "Words" });
  });

  test("abuse 119: leaves out what earlier versions let agents read of the exported records", () => {
    const checks = [
      { id: "a", name: "read", input: { path: "./database/projects.json" } },
      { id: "b", name: "grep", input: { text: "merger" } },
      { id: "c", name: "read", input: { path: "app/src/pages/about.astro" } },
    ];
    const texts = ['1\t"brief": "the merger"', "database/projects.json:1: the merger", "About"];
    const results = checks.map(({ id, name }, n) => ({ id, name, ok: true, text: texts[n] ?? "" }));
    const entries: Entry[] = [
      owner("Words"),
      { kind: "answer", text: "I look.", calls: checks, parts: null },
      { kind: "results", results, images: [] },
    ];
    const back = readConversation(writeConversation(untrusted.boundary, conversation(entries)));
    const last = back?.entries.at(-1);
    expect(last?.kind === "results" && last.results.map(({ text }) => text)).toEqual([
      "No longer available.",
      "No longer available.",
      "About",
    ]);
  });

  test("calls without results, results without calls, and invalid names are repaired", () => {
    const entries: Entry[] = [
      {
        kind: "results",
        results: [{ id: "z", name: "read", ok: true, text: "lost" }],
        images: [],
      },
      owner("Words"),
      {
        kind: "answer",
        text: "",
        calls: [
          { id: "a/b c", name: "rm -rf /", input: "text" },
          { id: "d", name: "read", input: {} },
        ],
        parts: null,
      },
      {
        kind: "results",
        results: [{ id: "d", name: "read", ok: true, text: "there" }],
        images: [],
      },
      { kind: "answer", text: "", calls: [{ id: "e", name: "read", input: {} }], parts: null },
      { kind: "answer", text: "", calls: [], parts: null },
    ];
    const back = readConversation(writeConversation(untrusted.boundary, conversation(entries)));
    expect(unpaired(back?.entries ?? [])).toEqual([]);
    const messages = JSON.stringify(modelMessages("", back?.entries ?? []));
    expect(messages).not.toContain("lost");
    expect(messages).toContain('"toolName":"rm_-rf__"');
    expect(messages.match(/Not carried out/g)).toHaveLength(2);
    expect(messages).not.toContain('"content":[]');
  });
});

test.each([
  ["Update about.astro", ["app/src/pages/about.astro"], false],
  ["Update pages/about.astro and theme.css", ["app/src/pages/about.astro"], true],
  ["Update out.astro", ["app/src/pages/about.astro"], true],
  ["Fix [slug].astro", ["app/src/pages/projects/[slug].astro"], false],
  ["Say 1.5 instead of 2.5, e.g. here", [], false],
  ["", [], false],
])("%j with %j changed names other files: %j", (subject, changed, expected) => {
  expect(mentionsOtherFiles(subject, changed)).toBe(expected);
});
