import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { removeTree } from "../../../platform/files.ts";
import type { FoundHostKey } from "../schema.ts";
import type { AddressCheck } from "../../../platform/checked-fetch.ts";
import { assertHostAllowed } from "./address-check.ts";
import { assertInstalled, runBound } from "./programs.ts";

/** A server, and the keys of both sides. */
export interface SshAccess {
  host: string;
  port: number;
  /** As in a known_hosts file: the type and the key. */
  hostKey: string;
  privateKey: string;
}

const prefix = "ssh-";

/** The name of a server in a known_hosts file (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). */
function knownName({ host, port }: Pick<SshAccess, "host" | "port">): string {
  return port === 22 ? host : `[${host}]:${port}`;
}

/** Only this key is used, only the confirmed host key is accepted, and nothing is forwarded. */
function configOf(folder: string, { port }: SshAccess): string {
  const options = {
    Port: port,
    IdentityFile: `"${join(folder, "key")}"`,
    IdentitiesOnly: "yes",
    IdentityAgent: "none",
    UserKnownHostsFile: `"${join(folder, "known_hosts")}"`,
    GlobalKnownHostsFile: "/dev/null",
    StrictHostKeyChecking: "yes",
    UpdateHostKeys: "no",
    BatchMode: "yes",
    PreferredAuthentications: "publickey",
    ClearAllForwardings: "yes",
    ForwardAgent: "no",
    ConnectTimeout: 15,
    ServerAliveInterval: 15,
    ServerAliveCountMax: 4,
  };
  return Object.entries(options)
    .map(([name, value]) => `${name} ${value}\n`)
    .join("");
}

/** A command as a shell reads it, and as rsync does. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/**
 * Runs a task with the ssh command for a server; its key is in a file only in the meantime. Files
 * of a killed delivery in `folder` are removed first. Throws `bad_request`, `upstream_failed`.
 */
export async function withSsh<T>(
  access: SshAccess,
  { folder, isForbidden }: { folder: string; isForbidden: AddressCheck },
  task: (command: string) => Promise<T>,
): Promise<T> {
  await assertHostAllowed(access.host, isForbidden);
  for (const name of await readdir(folder)) {
    if (name.startsWith(prefix)) await removeTree(join(folder, name));
  }
  const own = await mkdtemp(join(folder, prefix));
  try {
    const files = {
      key: access.privateKey,
      known_hosts: `${knownName(access)} ${access.hostKey}\n`,
      config: configOf(own, access),
    };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(own, name), text, { mode: 0o600, flag: "wx" });
    }
    return await task(`ssh -F ${shellQuoted(join(own, "config"))}`);
  } finally {
    await removeTree(own);
  }
}

/** Makes a key pair in the format of OpenSSH. Throws `unavailable` without its programs. */
export async function makeKeyPair(
  folder: string,
): Promise<{ privateKey: string; publicKey: string }> {
  await assertInstalled(["ssh"]);
  const own = await mkdtemp(join(folder, prefix));
  try {
    const file = join(own, "key");
    const args = ["-q", "-t", "ed25519", "-N", "", "-C", "vitrine", "-f", file];
    const result = await runBound("ssh-keygen", args, {});
    if (result.exitCode !== 0) throw new AppError("internal", "Couldn’t make an SSH key.");
    const [privateKey, publicKey] = await Promise.all(
      [file, `${file}.pub`].map((path) => readFile(path, "utf8")),
    );
    return { privateKey: privateKey ?? "", publicKey: (publicKey ?? "").trim() };
  } finally {
    await removeTree(own);
  }
}

/** In order of preference. */
const keyTypes = ["ssh-ed25519", "ecdsa-sha2-nistp256", "ssh-rsa"];

/**
 * Asks a server for its public key. The owner compares the fingerprint, because somebody in between
 * could have answered. Throws `upstream_failed`, `bad_request`, `unavailable`.
 */
export async function findHostKey(
  { host, port }: { host: string; port: number },
  isForbidden: AddressCheck,
): Promise<FoundHostKey> {
  await assertInstalled(["ssh"]);
  await assertHostAllowed(host, isForbidden);
  const args = ["-T", "10", "-p", String(port), "-t", "ed25519,ecdsa,rsa", "--", host];
  const { stdout } = await runBound("ssh-keyscan", args, { timeoutMs: 30_000 });
  const keys = stdout
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(" ").slice(1, 3));
  const found = keyTypes.map((type) => keys.find(([name]) => name === type)).find(Boolean);
  if (found === undefined) {
    throw new AppError("upstream_failed", `No SSH server answers at ${host}, port ${port}.`);
  }
  const hash = createHash("sha256")
    .update(Buffer.from(found[1] ?? "", "base64"))
    .digest("base64");
  return { hostKey: found.join(" "), fingerprint: `SHA256:${hash.replace(/=+$/, "")}` };
}
