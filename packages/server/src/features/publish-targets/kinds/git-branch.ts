import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { exists, removeTree } from "../../../platform/files.ts";
import type { RunOptions } from "../../../platform/process.ts";
import { actorIdentity } from "../../workspace/commit.ts";
import { type GitSettings, parseGitAddress } from "../schema.ts";
import { assertHostAllowed } from "./address-check.ts";
import { assertInstalled, failureOf, runBound } from "./programs.ts";
import { withSsh } from "./ssh.ts";
import type { Delivery, Destination, Kind, KindDependencies } from "./target-kind.ts";

/** Runs git in the target's own repository, which has only objects. Throws `upstream_failed`. */
type Git = (args: readonly string[], options?: RunOptions) => Promise<string>;

/** The empty tree, which every repository knows. */
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

interface Remote {
  git: Git;
  settings: GitSettings;
  ref: string;
}

/** Locks that a killed git has left; no other one works here. */
async function removeLocks(repository: string): Promise<void> {
  const names = await readdir(repository).catch(() => []);
  for (const name of names) {
    if (name.endsWith(".lock")) await rm(join(repository, name), { force: true });
  }
}

/**
 * Git without any configuration of the machine. It uses only the protocol of the address, follows no
 * redirect, and gets a token from its environment, because others can read its arguments.
 */
function makeGit(
  { settings, secret, signal }: Destination<GitSettings>,
  options: { repository: string; ssh: string | null; caFile: string | undefined },
): Git {
  const { repository, ssh, caFile } = options;
  const configuration: Record<string, string> = {
    "gc.autoDetach": "false",
    "core.fsync": "none",
    "http.followRedirects": "false",
    "protocol.allow": "never",
    [`protocol.${ssh === null ? "https" : "ssh"}.allow`]: "always",
    "credential.helper": "",
  };
  if (ssh === null) {
    const user = settings.user || "x-access-token";
    const token = Buffer.from(`${user}:${secret}`).toString("base64");
    configuration["http.extraHeader"] = `Authorization: Basic ${token}`;
  }
  const identity = actorIdentity("Vitrine");
  const entries = Object.entries(configuration);
  const env = {
    GIT_DIR: repository,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_COUNT: String(entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...(caFile !== undefined && { GIT_SSL_CAINFO: caFile }),
    ...(ssh !== null && { GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: "ssh" }),
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
  };
  return async (args, more = {}) => {
    const bound = { signal, ...more, env: { ...env, ...more.env } };
    const result = await runBound("git", args, bound);
    if (result.exitCode !== 0) throw failureOf(`Git couldn’t run ${args[0] ?? "it"}`, result);
    return result.stdout;
  };
}

async function withRemote<T>(
  { isForbidden, caFile }: KindDependencies,
  destination: Destination<GitSettings>,
  task: (remote: Remote) => Promise<T>,
): Promise<T> {
  const { settings, secret, folder } = destination;
  const address = parseGitAddress(settings.url);
  if (address === null)
    throw new AppError("bad_request", "The address of the repository is wrong.");
  await assertInstalled(address.protocol === "ssh" ? ["git", "ssh"] : ["git"]);
  const repository = join(folder, "repository.git");
  const withGit = async (ssh: string | null) => {
    const git = makeGit(destination, { repository, ssh, caFile });
    if (!(await exists(join(repository, "HEAD")))) {
      await git(["init", "--quiet", "--bare", repository]);
    }
    await removeLocks(repository);
    return task({ git, settings, ref: `refs/heads/${settings.branch}` });
  };
  if (address.protocol === "https") {
    await assertHostAllowed(address.host, isForbidden);
    return withGit(null);
  }
  const access = { ...address, hostKey: settings.hostKey ?? "", privateKey: secret };
  return withSsh(access, { folder, isForbidden }, withGit);
}

/** The commit that the branch has on the server; null if there is no such branch. */
async function findTip({ git, settings, ref }: Remote): Promise<string | null> {
  const lines = await git(["ls-remote", settings.url, ref], { timeoutMs: 120_000 });
  const sha = lines.split("\n").find((line) => line.endsWith(`\t${ref}`)) ?? "";
  return /^[0-9a-f]{40,64}/.exec(sha)?.[0] ?? null;
}

const gitlabJob = (branch: string) => `# Written by Vitrine: GitLab Pages serves what is in public/.
pages:
  stage: deploy
  script:
    - echo "The site is in public/."
  artifacts:
    paths:
      - public
  rules:
    - if: $CI_COMMIT_BRANCH == ${JSON.stringify(branch)}
`;

/** Files that the host of the pages needs besides the site. */
function hostFiles({ layout, branch, domain }: GitSettings): [string, string][] {
  if (layout === "gitlab") return [[".gitlab-ci.yml", gitlabJob(branch)]];
  // Without it, GitHub Pages leaves out what begins with an underscore.
  return [[".nojekyll", ""], ...(domain === null ? [] : ([["CNAME", `${domain}\n`]] as const))].map(
    ([path = "", text = ""]) => [path, text],
  );
}

/** Stores the site as a tree, without the conversions that attributes can cause. */
async function writeTree(
  { git, settings }: Remote,
  { copy, folder }: Delivery<GitSettings>,
): Promise<string> {
  const paths = copy.files.map(({ path }) => path);
  const input = paths.map((path) => `${path}\n`).join("");
  const args = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
  const objects = (await git(args, { cwd: copy.folder, input })).trimEnd().split("\n");
  if (objects.length !== paths.length) throw new AppError("internal", "Git lost a file.");
  const inside = settings.layout === "gitlab" ? "public/" : "";
  const entries = new Map(paths.map((path, index) => [inside + path, objects[index] ?? ""]));
  for (const [path, text] of hostFiles(settings)) {
    const object = await git(["hash-object", "-w", "--stdin"], { input: text });
    if (!entries.has(path)) entries.set(path, object.trim());
  }
  const index = join(folder, "index");
  await rm(index, { force: true });
  await rm(`${index}.lock`, { force: true });
  const info = [...entries].map(([path, object]) => `100644 ${object}\t${path}\0`).join("");
  const env = { GIT_INDEX_FILE: index };
  await git(["update-index", "-z", "--index-info"], { env, input: info });
  return (await git(["write-tree"], { env })).trim();
}

/** The paths that differ between two trees. */
async function changedPaths({ git }: Remote, before: string, tree: string): Promise<string[]> {
  const text = await git(["diff-tree", "-r", "-z", "--name-only", before, tree]);
  return text.split("\0").filter((path) => path !== "");
}

async function pushTree(
  remote: Remote,
  { copy, progress }: Delivery<GitSettings>,
  tree: string,
): Promise<void> {
  const { git, settings, ref } = remote;
  const tip = await findTip(remote);
  let before = emptyTree;
  if (tip !== null) {
    await git(["fetch", "--quiet", "--no-tags", "--depth=1", settings.url, ref]);
    before = (await git(["rev-parse", `${tip}^{tree}`])).trim();
  }
  const changed = new Set(before === tree ? [] : await changedPaths(remote, before, tree));
  await progress.expect(changed.size);
  if (before === tree && tip !== null) return;
  const parent = tip === null ? [] : ["-p", tip];
  const message = `Release ${copy.release}\n`;
  const commit = (
    await git(["commit-tree", ...parent, "-F", "-", tree], { input: message })
  ).trim();
  // Only if the branch is still where it was: somebody else's commit is never overwritten.
  const lease = `--force-with-lease=${ref}:${tip ?? ""}`;
  await git(["push", "--quiet", lease, settings.url, `${commit}:${ref}`]);
  const inside = settings.layout === "gitlab" ? "public/" : "";
  const sent = copy.files.filter(({ path }) => changed.has(inside + path));
  const bytes = sent.reduce((sum, file) => sum + file.bytes, 0);
  await progress.add(changed.size, bytes);
}

/** The repository is only a cache: whatever is wrong with it is gone with the next attempt. */
async function forgetRepository(folder: string): Promise<void> {
  await removeTree(join(folder, "repository.git"));
}

async function deliverTo(remote: Remote, delivery: Delivery<GitSettings>): Promise<void> {
  const tree = await writeTree(remote, delivery);
  await pushTree(remote, delivery, tree);
  // The work tree's objects of old releases aren't needed any more once there are many.
  await remote.git(["-c", "gc.pruneExpire=now", "gc", "--auto", "--quiet"]).catch(() => {});
}

/** A branch of a git repository, to which one commit is added for each release. */
export const gitBranch: Kind<GitSettings> = {
  async check(deps, destination) {
    await mkdir(destination.folder, { recursive: true });
    return withRemote(deps, destination, async (remote) => {
      const { git, settings, ref } = remote;
      const tip = await findTip(remote);
      const args = ["commit-tree", "-F", "-", (await git(["mktree"], { input: "" })).trim()];
      const commit = (await git(args, { input: "Test\n" })).trim();
      // Sends nothing, but the server has to accept that this key may push.
      await git(["push", "--quiet", "--dry-run", "--force", settings.url, `${commit}:${ref}`]);
      return tip === null
        ? `Vitrine can push. The branch ${settings.branch} will be created.`
        : `Vitrine can push to the branch ${settings.branch}.`;
    });
  },
  async deliver(deps, delivery) {
    try {
      await withRemote(deps, delivery, (remote) => deliverTo(remote, delivery));
    } catch (error) {
      const isOurs = await lstat(delivery.folder).then(
        () => true,
        () => false,
      );
      if (isOurs && !delivery.signal.aborted) await forgetRepository(delivery.folder);
      throw error;
    }
  },
};
