import { defineConfig } from "vitest/config";

// `npm run image-test`: not part of `npm test`, because it needs Docker and ten minutes or more.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.spec.ts"],
    testTimeout: 600_000,
    hookTimeout: 3_600_000,
    expect: { poll: { timeout: 60_000 } },
    // Each test continues where the one before has ended.
    bail: 1,
  },
});
