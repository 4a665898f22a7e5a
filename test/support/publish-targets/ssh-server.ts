import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { run, systemPath } from "../../../packages/server/src/platform/process.ts";
import { eventually } from "../eventually.ts";
import { freePorts } from "../instance.ts";
import { tempFolder } from "../temp.ts";

/** OpenSSH's server on the loopback address, with keys and a port of its own. */
export interface SshServer extends AsyncDisposable {
  host: string;
  port: number;
  user: string;
  /** Its public key as in a known_hosts file. */
  hostKey: string;
  fingerprint: string;
  /** Where sites can be put. */
  folder: string;
  /** Lets this key sign in; nobody else can. */
  authorize(publicKey: string): Promise<void>;
  /** Makes a bare repository; returns its address. */
  makeRepository(name: string): Promise<string>;
  git(name: string, ...args: string[]): Promise<string>;
  /** Replaces the server's key, as another server at the same address has one. */
  replaceHostKey(): Promise<void>;
}

async function mustRun(program: string, args: string[], cwd: string): Promise<string> {
  const env = { PATH: systemPath, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  const result = await run(program, args, { cwd, env });
  if (result.exitCode !== 0) throw new Error(`${program}: ${result.stderr}`);
  return result.stdout;
}

async function makeHostKey(folder: string, name: string): Promise<void> {
  await mustRun("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", name], folder);
}

async function start(folder: string, port: number): Promise<ChildProcess> {
  const config = [
    "ListenAddress 127.0.0.1",
    `Port ${port}`,
    `HostKey ${join(folder, "host")}`,
    `AuthorizedKeysFile ${join(folder, "authorized_keys")}`,
    `PidFile none`,
    "UsePAM no",
    "StrictModes no",
    "PasswordAuthentication no",
    "PermitRootLogin prohibit-password",
  ];
  await writeFile(join(folder, "sshd_config"), `${config.join("\n")}\n`);
  const args = ["-D", "-e", "-f", join(folder, "sshd_config")];
  const child = spawn("/usr/sbin/sshd", args, { stdio: "ignore" });
  await eventually(async () => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect").finally(() => socket.destroy());
    return true;
  });
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  await ended;
}

/** Starts the server on a free port. */
export async function startSshServer(): Promise<SshServer> {
  const folder = await tempFolder();
  const { path } = folder;
  // Only for a server that is started as root.
  if (userInfo().uid === 0) await mkdir("/run/sshd", { recursive: true });
  const [port = 0] = await freePorts(1);
  await makeHostKey(path, "host");
  await writeFile(join(path, "authorized_keys"), "");
  await mkdir(join(path, "sites"));
  let child = await start(path, port);
  const hostKey = (await readFile(join(path, "host.pub"), "utf8")).split(" ").slice(0, 2).join(" ");
  const [, fingerprint = ""] = (await mustRun("ssh-keygen", ["-l", "-f", "host"], path)).split(" ");
  const user = userInfo().username;
  return {
    host: "127.0.0.1",
    port,
    user,
    hostKey,
    fingerprint,
    folder: join(path, "sites"),
    authorize: (publicKey) => writeFile(join(path, "authorized_keys"), `${publicKey}\n`),
    async makeRepository(name) {
      await mustRun("git", ["init", "--quiet", "--bare", name], path);
      return `ssh://${user}@127.0.0.1:${port}${join(path, name)}`;
    },
    git: (name, ...args) => mustRun("git", ["--git-dir", name, ...args], path),
    async replaceHostKey() {
      await stop(child);
      await mustRun("rm", ["host", "host.pub"], path);
      await makeHostKey(path, "host");
      child = await start(path, port);
    },
    async [Symbol.asyncDispose]() {
      await stop(child);
      await folder.remove();
    },
  };
}
