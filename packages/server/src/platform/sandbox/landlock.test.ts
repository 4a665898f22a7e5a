import { spawn } from "node:child_process";
import { chmod, chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { isRoot } from "../../../../../test/support/publish/machine.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import { nodeBinary } from "../paths.ts";
import { landlockCommand } from "./landlock.ts";
import { launch } from "./launch.ts";

// Perl makes any system call without a compiler. As root, programs become another user; the machine's
// own one is what they stay otherwise.

const uid = isRoot ? 60_997 : null;
let folder: TempFolder;
let out: string;
let secret: string;

beforeEach(async () => {
  folder = await tempFolder();
  await chmod(folder.path, 0o755);
  out = join(folder.path, "out");
  secret = join(folder.path, "secret.txt");
  await mkdir(out);
  await writeFile(secret, "MARKER");
  await chmod(secret, 0o666);
  if (uid !== null) await chown(out, uid, uid);
});
afterEach(() => folder.remove());

function command(program: string[], processes = 64) {
  return landlockCommand({
    program,
    readable: ["/usr/bin/perl", "/usr/share/perl", "/etc/perl", nodeBinary],
    writable: [out],
    environment: { PLACE: out },
    bounds: { processes, fileBytes: 2 ** 20, dataBytes: 2 ** 33, cpuSeconds: 60 },
    uid,
  });
}

async function runContained(program: string[], processes?: number) {
  const contained = await launch(command(program, processes), {
    contained: "landlock",
    cwd: "/",
    env: { SECRET: "MARKER" },
  });
  contained.stdin.end();
  const [stdout, stderr] = await Promise.all(contained.output.map((stream) => text(stream)));
  return { ...(await contained.exited), stdout, stderr };
}

/** What came of a Perl expression: its value, or the error. */
async function attempt(code: string): Promise<string> {
  const { stdout = "", stderr = "" } = await runContained([
    "/usr/bin/perl",
    "-e",
    `my $r = do { ${code} }; print defined $r && $r ne "-1" ? "done: $r" : "refused: $!"`,
  ]);
  return `${stdout}${stderr}`;
}

const numbers =
  process.arch === "arm64"
    ? { socket: 198, setsid: 157, clone: 220 }
    : { socket: 41, setsid: 112, clone: 56 };

test("a program reads and writes what it is told, with its own environment", async () => {
  const { code, stdout } = await runContained([
    nodeBinary,
    "-e",
    `const fs = require("fs");
    fs.writeFileSync(process.env.PLACE + "/made.txt", "made");
    fs.mkdirSync(process.env.PLACE + "/a/b", { recursive: true });
    fs.renameSync(process.env.PLACE + "/made.txt", process.env.PLACE + "/a/b/moved.txt");
    fs.copyFileSync(process.env.PLACE + "/a/b/moved.txt", process.env.PLACE + "/copy.txt");
    console.log(JSON.stringify({ env: Object.keys(process.env), uid: process.getuid() }));
    process.exitCode = 7;`,
  ]);
  expect(code).toBe(7);
  expect(JSON.parse(stdout ?? "")).toEqual({
    env: ["OPENSSL_CONF", "PLACE"],
    uid: uid ?? process.getuid?.(),
  });
  expect(await readFile(join(out, "copy.txt"), "utf8")).toBe("made");
  expect(await readFile(join(out, "a/b/moved.txt"), "utf8")).toBe("made");
});

describe("abuse 200: without namespaces, a program", () => {
  const refused: [what: string, code: (secret: string) => string][] = [
    ["reads a file that anybody may read", (file) => `open(my $f, "<", "${file}") ? <$f> : -1`],
    ["lists a folder", () => `opendir(my $d, "/") ? 1 : -1`],
    ["writes a file that anybody may write", (file) => `open(my $f, ">>", "${file}") ? 1 : -1`],
    ["writes next to its folder", (file) => `open(my $f, ">", "${file}.new") ? 1 : -1`],
    ["deletes a file elsewhere", (file) => `unlink("${file}") ? 1 : -1`],
    ["links to a file elsewhere", (file) => `link("${file}", "$ENV{PLACE}/link") ? 1 : -1`],
    [
      "makes a pipe",
      () =>
        `syscall(${process.arch === "arm64" ? 33 : 259}, -100, my $p = "$ENV{PLACE}/p", 0010644, 0)`,
    ],
    ["opens an internet socket", () => `syscall(${numbers.socket}, 2, 1, 0)`],
    ["opens a local socket", () => `syscall(${numbers.socket}, 1, 1, 0)`],
    ["opens a netlink socket", () => `syscall(${numbers.socket}, 16, 3, 0)`],
    [
      "reads another process's environment",
      () => `open(my $f, "<", "/proc/" . getppid() . "/environ") ? 1 : -1`,
    ],
    ["starts a process in a namespace", () => `syscall(${numbers.clone}, 0x10000011, 0, 0, 0, 0)`],
    ["hides the flags of a new process", () => `syscall(435, my $args = "\\0" x 88, 88)`],
    ["leaves its session", () => `syscall(${numbers.setsid})`],
    ["leaves its group", () => `setpgrp(0, 0) ? 1 : -1`],
    [
      "runs what it has written",
      () =>
        `do { open(my $f, ">", "$ENV{PLACE}/x"); print $f "#!/usr/bin/perl\\n1"; close $f; my $c = system("$ENV{PLACE}/x"); $c == 0 ? 1 : -1 }`,
    ],
  ];
  test.each(refused)("never %s", async (_what, code) => {
    expect(await attempt(code(secret))).toMatch(/^refused: /);
    expect(await readFile(secret, "utf8")).toBe("MARKER");
    expect((await readdir(folder.path)).toSorted()).toEqual(["out", "secret.txt"]);
  });

  test("changes no modes and signals nobody, though it seems so", async () => {
    const bystander = spawn("/bin/sleep", ["60"], isRoot ? { uid: uid ?? 0, gid: uid ?? 0 } : {});
    try {
      expect(await attempt(`kill("KILL", ${bystander.pid}) ? 1 : -1`)).toBe("done: 1");
      await attempt(`chmod(0600, "${secret}") ? 1 : -1`);
      await attempt(`kill("KILL", getppid()) ? 1 : -1`);
      expect(bystander.signalCode).toBeNull();
      expect(await readFile(`/proc/${bystander.pid}/stat`, "utf8")).toMatch(/\) [SR] /);
    } finally {
      bystander.kill("SIGKILL");
    }
  });

  test("reaches no server on this machine", async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const { stdout } = await runContained([
      nodeBinary,
      "-e",
      `fetch("http://127.0.0.1:${port}").then(() => "reached", (error) => "refused: " + error.cause.code).then(console.log)`,
    ]);
    server.close();
    expect(stdout).toMatch(/^refused: /);
    expect(requests).toBe(0);
  });
});

/** How many processes sleep for so long. */
async function sleepersOf(seconds: number): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => ""));
  return (await Promise.all(lines)).filter((line) => line.endsWith(`\0sleeper-${seconds}\0`))
    .length;
}

const sleeper = (name: number) =>
  `for (1..20) { unless (fork) { unless (fork) { exec "/usr/bin/perl", "-e", "sleep 1000", "sleeper-${name}" } exit } }`;

describe("abuse 201: what a program has started", () => {
  test("ends with it", async () => {
    const name = 300_000 + process.pid;
    const { code } = await runContained([
      "/usr/bin/perl",
      "-e",
      `${sleeper(name)} 1 while wait != -1; exit 3`,
    ]);
    expect(code).toBe(3);
    expect(await sleepersOf(name)).toBe(0);
  });

  test("ends when it is killed, or who has started it is", async () => {
    const name = 400_000 + process.pid;
    const program = ["/usr/bin/perl", "-e", `$| = 1; ${sleeper(name)} print "on"; sleep 1000`];
    const contained = await launch(command(program), { contained: "landlock", cwd: "/", env: {} });
    await new Promise((resolve) => contained.output[0].once("data", resolve));
    await eventually(async () => expect(await sleepersOf(name)).toBe(20));
    await contained.kill();
    expect(await sleepersOf(name)).toBe(0);

    const starter = join(folder.path, "starter.ts");
    await writeFile(
      starter,
      `import { launch } from ${JSON.stringify(join(import.meta.dirname, "launch.ts"))};
      const contained = await launch(${JSON.stringify(command(program))}, { contained: "landlock", cwd: "/", env: {} });
      contained.output[0].once("data", () => console.log("on"));`,
    );
    const child = spawn(nodeBinary, [starter], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    await eventually(async () => expect(await sleepersOf(name)).toBe(20));
    child.kill("SIGKILL");
    await eventually(async () => expect(await sleepersOf(name)).toBe(0));
  });

  test("is limited in number", async () => {
    const name = 500_000 + process.pid;
    const bomb = `for (1..400) { my $p = fork; last unless defined $p; unless ($p) { exec "/usr/bin/perl", "-e", "sleep 1000", "sleeper-${name}" } $n++ } print $n`;
    const { stdout } = await runContained(["/usr/bin/perl", "-e", bomb], 50);
    expect(Number(stdout)).toBeGreaterThan(10);
    expect(Number(stdout)).toBeLessThan(51);
    expect(await sleepersOf(name)).toBe(0);
  });

  test.skipIf(!isRoot)(
    "abuse 202: is limited as if it had no namesakes in other containers",
    async () => {
      const others = Array.from({ length: 80 }, () =>
        spawn("/bin/sleep", ["60"], { uid: uid ?? 0, gid: uid ?? 0, stdio: "ignore" }),
      );
      try {
        const bomb = `for (1..400) { my $p = fork; last unless defined $p; unless ($p) { sleep 1000; exit } $n++ } print $n`;
        const starter = join(folder.path, "starter.ts");
        await writeFile(
          starter,
          `import { text } from "node:stream/consumers";
        import { launch } from ${JSON.stringify(join(import.meta.dirname, "launch.ts"))};
        const contained = await launch(${JSON.stringify(command(["/usr/bin/perl", "-e", bomb], 50))}, { contained: "landlock", cwd: "/", env: {} });
        console.log(await text(contained.output[0]), await text(contained.output[1]));`,
        );
        // As in a container, /proc shows only what was started there.
        const args = ["--pid", "--fork", "--kill-child", "--mount-proc", nodeBinary, starter];
        const child = spawn("unshare", args, { stdio: ["ignore", "pipe", "inherit"] });
        const count = Number(await text(child.stdout));
        expect(count).toBeGreaterThan(10);
        expect(count).toBeLessThan(51);
      } finally {
        for (const other of others) other.kill("SIGKILL");
      }
    },
  );
});
