import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { startGitHttpsServer } from "../../../../../test/support/publish-targets/git-https-server.ts";
import {
  type SshServer,
  startSshServer,
} from "../../../../../test/support/publish-targets/ssh-server.ts";
import {
  installTargetSite,
  openTargetSite,
  sampleFiles,
  type TargetSite,
} from "../../../../../test/support/publish-targets/target-site.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import type { CreateBody, GitSettings } from "./schema.ts";

let folder: TempFolder;
let site: TargetSite;
let server: SshServer;
const clock = fakeClock();

beforeEach(async () => {
  folder = await tempFolder();
  await installTargetSite(folder.path);
  site = await openTargetSite(folder.path, { clock });
  server = await startSshServer();
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await folder.remove();
});

async function branch(more: Partial<GitSettings> = {}): Promise<CreateBody> {
  const url = await server.makeRepository("pages.git");
  return {
    name: "Pages",
    siteUrl: null,
    forms: "off",
    settings: {
      kind: "git",
      url,
      branch: "gh-pages",
      layout: "root",
      domain: null,
      user: "",
      hostKey: server.hostKey,
      ...more,
    },
  };
}

const git = async (...args: string[]) => (await server.git("pages.git", ...args)).trimEnd();

/** The files of the branch as texts. */
async function files(): Promise<Map<string, string>> {
  const names = await git("ls-tree", "-r", "-z", "--name-only", "gh-pages");
  const texts = new Map<string, string>();
  for (const name of names.split("\0").filter((text) => text !== "")) {
    texts.set(name, await server.git("pages.git", "show", `gh-pages:${name}`));
  }
  return texts;
}

const state = async () => (await site.targets.list()).items[0];

test("a branch gets one commit for each release, on top of what is there", async () => {
  await site.publish(sampleFiles("one"));
  const body = await branch({ domain: "copy.example" });
  const { id, publicKey } = await site.targets.create(body);
  await site.deliveries.sendDue();
  expect(await state()).toMatchObject({
    status: "failed",
    error: "The server refused the SSH key. Add the target’s public key there.",
  });
  expect(publicKey).toMatch(/^ssh-ed25519 /);
  await server.authorize(publicKey ?? "");
  expect(await site.targets.test(id)).toEqual({
    found: "Vitrine can push. The branch gh-pages will be created.",
  });
  await expect(git("rev-parse", "--verify", "gh-pages")).rejects.toThrow("fatal");
  await site.targets.send(id, { everything: false });
  await site.deliveries.sendDue();
  const expected = async () =>
    new Map([...(await site.copy()), [".nojekyll", ""], ["CNAME", "copy.example\n"]]);
  expect(await files()).toEqual(await expected());
  const first = await git("rev-parse", "gh-pages");
  await site.publish(sampleFiles("two"));
  await site.deliveries.sendDue();
  expect(await files()).toEqual(await expected());
  expect(await git("rev-list", "gh-pages")).toContain(first);
  expect(await git("log", "--format=%an %s", "gh-pages")).toBe(
    "Vitrine Release 2\nVitrine Release 1",
  );
  expect(await state()).toMatchObject({ status: "up_to_date", sent: { release: 2, files: 2 } });
  // The same content needs no commit.
  await site.targets.send(id, { everything: true });
  await site.deliveries.sendDue();
  expect(await git("rev-list", "--count", "gh-pages")).toBe("2");
});

test("commits of others stay, and what they changed is replaced by the release", async () => {
  await site.publish(sampleFiles("one"));
  const { publicKey } = await site.targets.create(await branch());
  await server.authorize(publicKey ?? "");
  await site.deliveries.sendDue();
  const tree = await git("mktree");
  const other = await git(
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@a.invalid",
    ..."commit-tree -p gh-pages -m Other".split(" "),
    tree,
  );
  await git("update-ref", "refs/heads/gh-pages", other);
  await site.publish(sampleFiles("two"));
  await site.deliveries.sendDue();
  expect(await git("rev-parse", "gh-pages^")).toBe(other);
  expect(await files()).toEqual(new Map([...(await site.copy()), [".nojekyll", ""]]));
});

test("GitLab Pages gets the site in public/ and the job that serves it", async () => {
  await site.publish(sampleFiles("one"));
  const { publicKey } = await site.targets.create(await branch({ layout: "gitlab" }));
  await server.authorize(publicKey ?? "");
  await site.deliveries.sendDue();
  const sent = await files();
  expect(sent.get(".gitlab-ci.yml")).toContain('$CI_COMMIT_BRANCH == "gh-pages"');
  const copy = [...(await site.copy())].map(([path, text]) => [`public/${path}`, text] as const);
  sent.delete(".gitlab-ci.yml");
  expect(sent).toEqual(new Map(copy));
});

test("a repository by HTTPS gets the token in a header, and a wrong one is said", async () => {
  await using https = await startGitHttpsServer();
  await using other = await openTargetSite(folder.path, { clock, caFile: https.caFile });
  const release = await other.publish(sampleFiles("one"));
  const settings = {
    kind: "git" as const,
    url: https.url,
    branch: "pages",
    layout: "root" as const,
    domain: null,
    user: https.user,
    hostKey: null,
  };
  const body = { name: "Pages", siteUrl: null, forms: "off" as const, settings };
  const { id } = await other.targets.create({ ...body, secret: "wrong" });
  await other.deliveries.sendDue();
  expect((await other.targets.list()).items[0]).toMatchObject({
    status: "failed",
    error: "The server refused the token. Check the token and what it may do.",
  });
  await other.targets.save({ id, ...body, secret: https.token });
  expect(await other.targets.test(id)).toEqual({
    found: "Vitrine can push. The branch pages will be created.",
  });
  await other.deliveries.sendDue();
  expect((await other.targets.list()).items[0]).toMatchObject({ sent: { release }, error: null });
  const sent = await https.git("show", "pages:index.html");
  expect(sent).toBe((await other.copy()).get("index.html"));
  expect([...https.authorizations]).toEqual(["oauth2:wrong", "oauth2:glpat-test"]);
});

test("abuse 206: a server with another host key than the confirmed one gets nothing", async () => {
  await site.publish(sampleFiles("one"));
  const { id, publicKey } = await site.targets.create(await branch());
  await server.authorize(publicKey ?? "");
  const { host, port } = server;
  const found = await site.targets.findHostKey({ host, port });
  expect(found).toEqual({ hostKey: server.hostKey, fingerprint: server.fingerprint });
  await server.replaceHostKey();
  await site.deliveries.sendDue();
  expect(await state()).toMatchObject({
    status: "failed",
    error: expect.stringContaining("another host key than the one you confirmed"),
  });
  await expect(site.targets.test(id)).rejects.toMatchObject({ code: "upstream_failed" });
  await expect(git("rev-parse", "--verify", "gh-pages")).rejects.toThrow("fatal");
});
