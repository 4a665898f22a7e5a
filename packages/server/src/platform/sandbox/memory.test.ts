import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { bubblewrapCommand } from "./bubblewrap.ts";
import { launch } from "./launch.ts";
import {
  makeWatchedGuard,
  type MemoryGuard,
  openMemoryGuard,
} from "vitrine-qa/src/system/memory.ts";

const mebibyte = 2 ** 20;
const guards: [string, () => Promise<MemoryGuard>][] = [
  ["what is found here", () => openMemoryGuard()],
  ["the watch", async () => makeWatchedGuard()],
];

/** A Perl program in a sandbox: it makes any system call without a compiler. */
function perl(program: string) {
  return bubblewrapCommand({
    program: ["/perl", "-e", program],
    bindings: [{ from: "/usr/bin/perl", to: "/perl" }],
    scratch: [{ folder: "/tmp", bytes: 8 * mebibyte }],
    environment: {},
    bounds: {
      processes: 64,
      fileBytes: 2 ** 30,
      dataBytes: 2 ** 31,
      cpuSeconds: 60,
    },
    uid: process.getuid?.() === 0 ? 60_998 : null,
  });
}

/** Runs a program within a bound and gives how it ended and what it said. */
async function runBounded(guard: MemoryGuard, program: string, bytes: number) {
  const memory = await guard.bound(bytes);
  const command = memory.enclose(perl(program));
  const sandboxed = await launch(command, { contained: "bubblewrap", cwd: "/", env: {} });
  const output = Promise.all(sandboxed.output.map((stream) => text(stream)));
  const stop = memory.watch(sandboxed.pid, () => void sandboxed.kill());
  try {
    const { code, signal } = await sandboxed.exited;
    const [stdout = "", stderr = ""] = await output;
    return { ended: signal ?? code, stdout, stderr, exceeded: await memory.wasExceeded() };
  } finally {
    stop();
    await sandboxed.kill();
    await memory.remove();
    // Without a group this names no folder.
    expect(existsSync(dirname(command.args[3] || "/none/none"))).toBe(false);
  }
}

/** Numbers of system calls on x86-64 and on arm64. */
const calls = process.arch === "arm64" ? { memfd: 279, mmap: 222 } : { memfd: 319, mmap: 9 };

describe("abuse 148: memory that no process seems to have", () => {
  const attempts: [string, string][] = [
    ["a memory file", `syscall(${calls.memfd}, my $n = "x", 0) >= 0`],
    ["a shared anonymous mapping", `syscall(${calls.mmap}, 0, 1 << 30, 3, 0x21, -1, 0) != -1`],
    [
      "a shared mapping of zeros",
      `open(Z, "+<", "/dev/zero") and syscall(${calls.mmap}, 0, 1 << 30, 3, 1, fileno(Z), 0) != -1`,
    ],
    ["a shared memory segment", `defined shmget(0, 1 << 30, 0600)`],
    ["a message queue", `defined msgget(0, 0600)`],
    ["an io_uring", `syscall(425, 8, my $p = "\\0" x 120) >= 0`],
    ["a file in /dev/shm", `open(F, ">", "/dev/shm/x")`],
    ["a file system", `syscall(430, my $t = "tmpfs", 0) >= 0`],
    [
      "a descriptor in a socket's queue",
      `socketpair(A, B, 1, 1, 0) and syscall(${process.arch === "arm64" ? 211 : 46}, fileno(A), my $m = "\\0" x 56, 0) >= 0`,
    ],
  ];

  test("can't be had", async () => {
    const program = attempts.map(([what, code]) => `print "${what}\\n" if ${code};`).join("\n");
    const { ended, stdout, stderr } = await runBounded(makeWatchedGuard(), program, 2 ** 30);
    expect({ ended, stdout, stderr }).toEqual({ ended: 0, stdout: "", stderr: "" });
  });

  test("is no more than the sandbox's scratch folder may hold", async () => {
    const program = `$| = 1; open(F, ">", "/tmp/x"); unlink "/tmp/x"; my $b = "x" x (1 << 20);
      for (1..64) { syswrite(F, $b) == length($b) or last; print "." }`;
    const { ended, stdout } = await runBounded(makeWatchedGuard(), program, 2 ** 30);
    expect(ended).toBe(0);
    expect(stdout.length).toBeLessThanOrEqual(8);
  });
});

describe.each(guards)(
  "abuse 149: a sandbox that wants more memory than its bound, with %s",
  (_name, open) => {
    const bound = 192 * mebibyte;
    // Each process stays below the bound of one.
    const taking = (each: string) => `$| = 1; my @kept;
    for (1..12) { next if fork; ${each} sleep 60; exit }
    sleep 60; print "done\\n"`;
    const setups: [string, string][] = [
      ["private", `for (1..100) { push @kept, "x" x (1 << 20); print "1\\n" }`],
      [
        "pipes and sockets",
        `my $b = "x" x 65536; for (1..80) { socketpair(my $a, my $c, 1, 1, 0) or last; push @kept, $a, $c;
        for my $s ($a, $c) { fcntl($s, 4, 2048); 1 while syswrite($s, $b) } }`,
      ],
    ];

    test.each(setups)("%s: is ended as a whole, and nothing is left", async (_what, each) => {
      const guard = await open();
      const { ended, stdout, exceeded } = await runBounded(guard, taking(each), bound);
      expect(exceeded).toBe(true);
      expect(ended).not.toBe(0);
      expect(stdout).not.toContain("done");
    });

    test("what stays below it is left alone", async () => {
      const program = `my $x = "x" x (64 << 20); print "well"`;
      const result = await runBounded(await open(), program, bound);
      expect(result).toMatchObject({ ended: 0, stdout: "well", exceeded: false });
    });
  },
);
