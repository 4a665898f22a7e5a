import { expect, test } from "vitest";

import {
  hasSecret,
  missingTarget,
  newTarget,
  sshServer,
  targetBody,
  targetForm,
} from "./target-form.ts";
import { placeOf, sentLabel, statusLabel } from "./target-labels.ts";
import type { Target } from "./useTargets.ts";

const stored = (settings: Target["settings"]): Target => ({
  id: 1,
  name: "CDN",
  kind: settings.kind,
  siteUrl: "https://copy.example",
  forms: "origin",
  settings,
  secretSet: true,
  publicKey: null,
  status: "up_to_date",
  doneFiles: 0,
  totalFiles: 0,
  error: null,
  nextAttemptAt: null,
  sent: null,
});

const hostKey = `ssh-ed25519 ${"A".repeat(68)}`;
const all: Target["settings"][] = [
  {
    kind: "s3",
    endpoint: "https://s3.example",
    region: "auto",
    bucket: "site",
    prefix: "live",
    isPathStyle: false,
    accessKeyId: "KEY",
  },
  {
    kind: "git",
    url: "git@host.example:me/site.git",
    branch: "pages",
    layout: "gitlab",
    domain: null,
    user: "",
    hostKey,
  },
  {
    kind: "rsync",
    host: "host.example",
    port: 2222,
    user: "me",
    folder: "/srv/site",
    isAtomic: true,
    keptReleases: 3,
    hostKey,
  },
  { kind: "netlify", siteId: "abc" },
  { kind: "cloudflare", accountId: "0".repeat(32), project: "site", branch: "main" },
];

test.each(all)("a stored target of kind $kind is sent as it is, without its secret", (settings) => {
  const form = targetForm(stored(settings));
  expect(targetBody(form)).toEqual({
    name: "CDN",
    siteUrl: "https://copy.example",
    forms: "origin",
    settings,
  });
  expect(missingTarget(form, false)).toEqual({});
});

test("what is missing is said at its field", () => {
  expect(Object.keys(missingTarget(newTarget("s3"), true))).toEqual([
    "name",
    "settings.endpoint",
    "settings.region",
    "settings.bucket",
    "settings.accessKeyId",
    "secret",
  ]);
  const git = { ...newTarget("git"), name: "Pages", url: "git@host.example:a/b.git" };
  expect(missingTarget(git, true)).toEqual({
    "settings.hostKey": "Get the server’s host key and compare its fingerprint.",
  });
  const forms = { ...newTarget("netlify"), name: "A", siteId: "b", forms: "origin" as const };
  expect(Object.keys(missingTarget(forms, false))).toEqual(["siteUrl"]);
});

test("only repositories by HTTPS need a token, and only SSH has a host key", () => {
  const git = (url: string) => ({ ...newTarget("git"), url });
  expect(hasSecret(git("https://host.example/a/b.git"))).toBe(true);
  expect(sshServer(git("https://host.example/a/b.git"))).toBe(null);
  expect(hasSecret(git("git@host.example:a/b.git"))).toBe(false);
  expect(sshServer(git("git@host.example:a/b.git"))).toEqual({ host: "host.example", port: 22 });
  expect(sshServer(git("ssh://me@host.example:2222/a.git"))).toEqual({
    host: "host.example",
    port: 2222,
  });
  expect(sshServer(newTarget("rsync"))).toBe(null);
});

test("states and places are said in words", () => {
  const [s3, git, rsync] = all.map(stored) as [Target, Target, Target];
  expect([s3, git, rsync].map(placeOf)).toEqual([
    "site/live at s3.example",
    "pages of git@host.example:me/site.git",
    "me@host.example:/srv/site",
  ]);
  expect(statusLabel({ ...s3, status: "sending", doneFiles: 34, totalFiles: 120 })).toBe(
    "Sending 34 of 120 files",
  );
  expect(statusLabel({ ...s3, status: "sending" })).toBe("Preparing files…");
  const sent = { release: 4, at: "2026-01-01T00:00:00.000Z", files: 1, bytes: 2000 };
  expect(sentLabel(sent)).toBe("Release 4: 1 changed file, 2 kB");
  expect(sentLabel({ ...sent, files: 0, bytes: 0 })).toBe("Release 4: nothing had changed");
});
