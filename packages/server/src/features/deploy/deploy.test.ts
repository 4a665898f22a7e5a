import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import type { CliContext } from "../../platform/cli.ts";
import { loadConfig } from "../../platform/config.ts";
import { run, systemPath } from "../../platform/process.ts";
import { registerDeployCommands } from "./cli.ts";
import { describeDeployment } from "./deployment.ts";
import { type HostKind, hostKinds, makeHostFiles } from "./host-files.ts";

/** A program that is there, whatever folder the tests are in. */
const program = { program: "/usr/bin/true", nodeFolder: null };
let folder: TempFolder;
let printed: Record<string, unknown>[];
let nothingToDo: unknown[];

beforeEach(async () => {
  folder = await tempFolder();
  printed = [];
  nothingToDo = [];
});
afterEach(() => folder.remove());

interface Place {
  dir?: string;
  baseUrl?: string;
  host?: string;
  trustProxy?: string[];
}

function configOf({ dir = "/srv/ada", baseUrl = "https://ada.example", ...rest }: Place) {
  const { host = "127.0.0.1", trustProxy = [] } = rest;
  const config = loadConfig({ VITRINE_DIR: dir, BASE_URL: baseUrl, HOST: host, PORT: "4000" });
  return { ...config, trustProxy };
}

async function filesOf(kind: HostKind, place: Place = {}, { hasSites = false } = {}) {
  const deployment = describeDeployment(configOf(place), program, { user: "ada", hasSites });
  return makeHostFiles(kind, deployment);
}

const textOf = async (kind: HostKind, place?: Place, options?: { hasSites: boolean }) =>
  (await filesOf(kind, place, options)).map(({ text }) => text).join("\n");

/** Runs `vitrine deploy …`. */
async function deploy(args: string[], place: Place = {}): Promise<void> {
  const context = {
    print: (data: Record<string, unknown>) => printed.push(data),
    printNothingToDo: (data: unknown) => nothingToDo.push(data),
  } as unknown as CliContext;
  const command = new Command().exitOverride().configureOutput({ writeErr() {} });
  registerDeployCommands(command, context, { config: async () => configOf(place), program });
  await command.parseAsync(["deploy", ...args, "--user", "ada"], { from: "user" });
}

describe.each(hostKinds)("the files for %s", (kind) => {
  test.each(["https://ada.example", "http://ada.example", "https://ada.example:8443"])(
    "contain the instance at %s and nothing of the example",
    async (baseUrl) => {
      const text = await textOf(kind, { baseUrl });
      expect(text).not.toMatch(/site\.example|srv\/vitrine|opt\/vitrine|:3000|#: /);
      expect(text).toContain(baseUrl);
    },
  );

  test.each([
    "/srv/a b",
    '/srv/a";evil',
    "/srv/a\nExecStart=/bin/evil",
    "/srv/a$b",
    "/srv/{a}",
    "/srv/ä",
  ])(
    "abuse 196: a folder named %j is refused, because the file would say something else",
    async (dir) => {
      await expect(textOf(kind, { dir })).rejects.toMatchObject({ code: "validation_failed" });
    },
  );
});

test("an https address has a certificate and a redirect, an http address neither", async () => {
  const https = await textOf("nginx");
  expect(https).toContain("ssl_certificate /etc/letsencrypt/live/ada.example/fullchain.pem;");
  expect(https).toContain("return 301 https://ada.example$request_uri;");
  expect(https).toContain('set $vitrine_hsts "max-age=31536000";');
  const http = await textOf("nginx", { baseUrl: "http://ada.example:8080" });
  expect(http).toContain("listen 8080;");
  expect(http).toContain('set $vitrine_hsts "";');
  expect(http).not.toMatch(/ssl|301/);
  expect(await textOf("caddy", { baseUrl: "http://ada.example" })).not.toContain(
    "Strict-Transport",
  );
  expect(await textOf("caddy")).toMatch(/^ada\.example \{$/m);
});

test("a wildcard address is reached on this machine", async () => {
  expect(await textOf("caddy", { host: "0.0.0.0" })).toContain("reverse_proxy 127.0.0.1:4000");
  expect(await textOf("nginx", { host: "::" })).toContain("server [::1]:4000;");
});

test("systemd accepts the units, and finds them tight", async () => {
  const files = await filesOf("systemd");
  for (const { name, text } of files) await writeFile(join(folder.path, name), text);
  const paths = files.map(({ name }) => join(folder.path, name));
  const verified = await run("/usr/bin/systemd-analyze", ["verify", "--man=no", ...paths]);
  // systemd before version 254 ignores this line.
  const complaints = verified.stderr
    .split("\n")
    .filter((line) => line.startsWith(folder.path) && !line.includes("DelegateSubgroup"));
  expect([verified.exitCode, complaints]).toEqual([0, []]);
  for (const path of paths.filter((one) => one.endsWith(".service"))) {
    const args = ["security", "--offline=true", "--threshold=30", path];
    const { exitCode, stdout } = await run("/usr/bin/systemd-analyze", args);
    expect([path, exitCode, stdout.match(/Overall.*/)?.[0]]).toEqual([path, 0, expect.any(String)]);
  }
});

test("with an object store, each night's backup goes there, unless another node has made one", async () => {
  expect(await textOf("systemd")).toContain("ExecStart=/usr/bin/true backup site.tar.gz\n");
  const storage = { DATABASE_URL: "postgres://me@db.example/site", STORAGE_URL: "s3://bucket" };
  const keys = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };
  const config = loadConfig({ VITRINE_DIR: "/srv/ada", ...storage, ...keys });
  const files = await makeHostFiles(
    "systemd",
    describeDeployment(config, program, { user: "ada" }),
  );
  const text = files.find(({ name }) => name === "vitrine-backup.service")?.text;
  expect(text).toContain(
    "ExecStart=/usr/bin/true backup --if-older-than 20\nSuccessExitStatus=3\n",
  );
  expect(text).not.toContain("tar.gz");
});

test("an instance in a home folder is readable for its service, one in /tmp is refused", async () => {
  expect(await textOf("systemd", { dir: "/home/ada/site" })).toContain("ProtectHome=read-only");
  await expect(textOf("systemd", { dir: "/tmp/site" })).rejects.toMatchObject({
    code: "validation_failed",
  });
});

test("a service finds a Node that isn't among the system's programs, in a home folder too", async () => {
  const nodeFolder = "/home/ada/.nvm/versions/node/v24.21.0/bin";
  const deployment = describeDeployment(configOf({}), { ...program, nodeFolder }, { user: "ada" });
  const text = (await makeHostFiles("systemd", deployment)).map((file) => file.text).join("\n");
  expect(text.match(/^Environment=PATH=.*/gm)).toEqual(
    Array.from({ length: 3 }, () => `Environment=PATH=${nodeFolder}:${systemPath}`),
  );
  expect(text).toContain("ProtectHome=read-only");
});

test("a program in npm's cache is warned of", async () => {
  const context = { print: (data: Record<string, unknown>) => printed.push(data) };
  const command = new Command().exitOverride();
  const npx = { ...program, program: "/home/ada/.npm/_npx/0a1b/node_modules/vitrine/bin/vitrine" };
  const deps = { config: async () => configOf({}), program: npx };
  registerDeployCommands(command, context as unknown as CliContext, deps);
  await command.parseAsync(["deploy", "systemd", folder.path, "--user", "ada"], { from: "user" });
  expect(String(printed[0]?.["warnings"])).toContain("npm install --global vitrine");
});

test("the command writes the files once, and replaces changed ones only when told", async () => {
  const to = join(folder.path, "new/nginx");
  await deploy(["nginx", to]);
  expect(await readdir(to)).toEqual(["nginx.conf"]);
  expect(printed[0]).toMatchObject({ files: ["nginx.conf"], written: [join(to, "nginx.conf")] });
  expect(String(printed[0]?.["warnings"])).toContain(
    'trustProxy in vitrine.json to ["127.0.0.1/32"]',
  );
  await deploy(["nginx", to], { trustProxy: ["127.0.0.1/32"] });
  expect(nothingToDo).toHaveLength(1);
  expect(nothingToDo[0]).toMatchObject({ written: [], warnings: [] });

  await writeFile(join(to, "nginx.conf"), "mine");
  await expect(deploy(["nginx", to])).rejects.toMatchObject({ code: "already_exists" });
  expect(await readFile(join(to, "nginx.conf"), "utf8")).toBe("mine");
  await deploy(["nginx", to, "--force", "--certificate", "/etc/ada/cert.pem"]);
  const text = await readFile(join(to, "nginx.conf"), "utf8");
  expect(text).toContain("ssl_certificate /etc/ada/cert.pem;");
});

test.each(["https://ada.example", "http://ada.example", "https://ada.example:8443"])(
  "with further sites, Caddy serves %s, all their domains, and asks before it gets a certificate",
  async (baseUrl) => {
    const text = await textOf("caddy", { baseUrl }, { hasSites: true });
    const isHttps = baseUrl.startsWith("https:");
    expect(text.includes("ask http://127.0.0.1:4000/api/tls-allowed")).toBe(isHttps);
    const file = join(folder.path, "Caddyfile");
    await writeFile(file, text);
    const adapted = await run("caddy", ["adapt", "--config", file, "--adapter", "caddyfile"], {});
    expect(adapted.stderr).not.toMatch(/Error/);
    const { apps } = JSON.parse(adapted.stdout) as { apps: Record<string, object> };
    expect(JSON.stringify(apps["tls"] ?? {}).includes('"on_demand":true')).toBe(isHttps);
    expect(await textOf("caddy", { baseUrl })).not.toContain("on_demand");
  },
);
