import { mkdir, open, rm, statfs } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { run } from "../../packages/server/src/platform/process.ts";
import { tempFolder } from "../support/temp.ts";
import { delay } from "./wait.ts";

/**
 * The file system that an instance under test lives on. On `ext4` (an image behind a loop device) the
 * power can be cut; it and `tmpfs` have a size and can be full; a `folder` is neither.
 */
export interface Volume extends AsyncDisposable {
  kind: "ext4" | "tmpfs" | "folder";
  /** Its mount point. */
  path: string;
  /** Fills the volume except for this many bytes. */
  fill(leaveBytes: number): Promise<void>;
  /** Frees that space. */
  empty(): Promise<void>;
  /**
   * Cuts the power: from this moment on nothing reaches the image, and what the kernel holds in memory
   * is lost. Every access fails until `restorePower`.
   */
  cutPower(): Promise<void>;
  /** Mounts the image again as a machine does that starts after a power cut. No process may use it. */
  restorePower(): Promise<void>;
}

/** Larger than what health calls "nearly full" (512 MiB) and all that a long run writes; sparse. */
const volumeBytes = 6 * 1024 ** 3;

/** FS_IOC_SHUTDOWN of ext4 and its flag "don't write the journal", as linux/fs/ext4/ext4.h has them. */
const shutdownRequest = 0x8004587d;
const withoutJournal = 2;

async function must(command: string, args: string[]): Promise<string> {
  const result = await run(command, args);
  if (result.exitCode !== 0) {
    throw new Error(
      `${command} ${args.join(" ")}: ${result.stderr.trim() || result.stdout.trim()}`,
    );
  }
  return result.stdout;
}

/** Only what was forced to the disk is on it: the kernel's own write-back is put off. */
const mountOptions = "loop,commit=300,noatime";

async function unmount(path: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const { exitCode, stderr } = await run("umount", [path]);
    if (exitCode === 0) return;
    // A killed process lets go of its files a moment later.
    if (attempt === 100) throw new Error(`${path} can't be unmounted: ${stderr.trim()}`);
    await delay(100);
  }
}

async function fillFolder(path: string, leaveBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(path);
  const bytes = bavail * bsize - leaveBytes;
  if (bytes <= 0) return;
  const { exitCode, stderr } = await run("fallocate", ["-l", String(bytes), join(path, "filling")]);
  // Somebody else has taken some of it at the same time: it is full then.
  if (exitCode !== 0 && !stderr.includes("No space left")) throw new Error(stderr.trim());
}

const emptyFolder = (path: string) => rm(join(path, "filling"), { force: true });

function refuse(what: string): () => Promise<never> {
  return () => Promise.reject(new Error(`${what} needs a file system of its own: run it as root.`));
}

async function mountImage(image: string, path: string): Promise<void> {
  await must("mount", ["-o", mountOptions, image, path]);
}

async function makeExt4(root: string, path: string): Promise<void> {
  const image = join(root, "volume.img");
  const file = await open(image, "w");
  await file.truncate(volumeBytes);
  await file.close();
  await must("mkfs.ext4", ["-q", "-F", "-m", "0", "-E", "lazy_itable_init=1", image]);
  await mountImage(image, path);
}

/** The best file system that this user may make, in a new folder: ext4, tmpfs, else none of its own. */
async function mountBest(root: string, path: string): Promise<Volume["kind"]> {
  if (userInfo().uid !== 0) return "folder";
  try {
    await makeExt4(root, path);
    return "ext4";
  } catch (error) {
    console.error(`No loop device: ${error instanceof Error ? error.message : String(error)}`);
  }
  const options = `size=${volumeBytes},mode=755`;
  const { exitCode } = await run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]);
  return exitCode === 0 ? "tmpfs" : "folder";
}

/** Makes a volume; its disposal unmounts and removes it. */
export async function makeVolume(): Promise<Volume> {
  const folder = await tempFolder();
  const path = join(folder.path, "volume");
  await mkdir(path);
  const kind = await mountBest(folder.path, path);
  const hasRoom = kind !== "folder";
  const image = join(folder.path, "volume.img");
  return {
    kind,
    path,
    fill: hasRoom ? (leaveBytes) => fillFolder(path, leaveBytes) : refuse("A full disk"),
    empty: () => emptyFolder(path),
    cutPower: kind !== "ext4" ? refuse("A power cut") : () => shutDown(path),
    restorePower: async () => {
      await unmount(path);
      await mountImage(image, path);
    },
    async [Symbol.asyncDispose]() {
      if (hasRoom) await unmount(path);
      await folder.remove();
    },
  };
}

/** Perl is part of every Debian and can make this call; Node can't. */
async function shutDown(path: string): Promise<void> {
  const program = `open(my $folder, "<", $ARGV[0]) or die "$!"; my $flags = pack("L", ${withoutJournal});
    ioctl($folder, ${shutdownRequest}, $flags) or die "$!";`;
  await must("perl", ["-e", program, path]);
}
