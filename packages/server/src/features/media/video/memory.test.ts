import { expect, test } from "vitest";
import {
  makeWatchedGuard,
  type MemoryGuard,
  openMemoryGuard,
} from "vitrine-qa/src/system/memory.ts";
import { openVideoSandbox } from "./sandbox.ts";

const bound = 192 * 2 ** 20;

test.each<[string, () => Promise<MemoryGuard>]>([
  ["what is found here", () => openMemoryGuard()],
  ["the watch", async () => makeWatchedGuard()],
])(
  "abuse 149: an encoder that wants more memory than its bound is stopped, with %s",
  async (_name, open) => {
    const found = await open();
    const small: MemoryGuard = { kind: found.kind, bound: () => found.bound(bound) };
    const { sandbox } = await openVideoSandbox("require", {}, small);
    const converting = sandbox.run({
      program: "ffmpeg",
      input: null,
      output: null,
      // To reverse them it keeps all frames: 24 MiB each.
      arguments: () =>
        "-f lavfi -i color=size=4096x4096:rate=25 -vf reverse -t 60 -f null -".split(" "),
      fileBytes: 0,
      cpuMs: 120_000,
      silenceMs: 120_000,
      signal: new AbortController().signal,
    });
    await expect(converting).rejects.toMatchObject({
      code: "bad_media",
      details: { reason: "too_much_memory" },
    });
  },
);
