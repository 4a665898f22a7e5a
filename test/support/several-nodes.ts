import { vi } from "vitest";

const count = process.env["TEST_NODES"];

if (count !== undefined) {
  // Everything takes longer, above all starts.
  vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });
  const [{ startBalancedInstance }, { startInstancesBy }] = await Promise.all([
    import("./balanced-instance.ts"),
    import("./instance.ts"),
  ]);
  startInstancesBy((options) => startBalancedInstance(Number(count), options));
}
