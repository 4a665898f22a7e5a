import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import pino from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempFolder } from "../../../../test/support/temp.ts";
import { defaultLimits } from "../../../platform/config.ts";
import { makeEngine } from "./run.ts";

/** The process that was started with this text in its environment. */
function processWith(text: string): number {
  const has = (id: string) => {
    try {
      return readFileSync(`/proc/${id}/environ`, "utf8").includes(text);
    } catch {
      return false;
    }
  };
  return Number(readdirSync("/proc").find((id) => /^\d+$/.test(id) && has(id)));
}

test("an engine that is killed leaves nothing behind, whatever its browser had written", async () => {
  const folder = await tempFolder();
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await folder.remove();
  });
  await once(server, "listening");
  const engine = makeEngine({ log: pino({ level: "silent" }), tempDir: folder.path });
  const asked = once(server, "request");
  const running = engine(
    {
      engine: "test 1",
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      connect: null,
      limits: { ...defaultLimits.qa, seconds: 60 },
      browser: "off",
      external: "none",
      full: false,
      own: null,
      known: { site: null, resources: [], externals: [] },
      now: "2026-01-01T00:00:00.000Z",
    },
    { signal: new AbortController().signal, progress() {}, countMessages: async () => null },
  );
  await Promise.race([asked, running]);
  const [own = ""] = readdirSync(folder.path);
  writeFileSync(join(folder.path, own, "profile"), "of a browser");
  process.kill(processWith(`TMPDIR=${join(folder.path, own)}`), "SIGKILL");
  await expect(running).rejects.toThrow("ended before it was done (SIGKILL)");
  await vi.waitFor(() => expect(readdirSync(folder.path)).toEqual([]), { timeout: 5000 });
});
