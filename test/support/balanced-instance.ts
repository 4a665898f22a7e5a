import { readlink } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { freePorts, type InstanceOptions, type TestInstance } from "./instance.ts";
import { startNodes } from "./nodes.ts";
import { startBalancer } from "./reverse-proxies.ts";
import { tempFolder } from "./temp.ts";

/** How long nodes may take to follow one that was changed by hand, in ms. */
const followMs = 60_000;

/** Waits until all nodes have the same commit and the same release. */
async function waitUntilSame(nodes: readonly TestInstance[]): Promise<void> {
  await eventually(async () => {
    const states = await Promise.all(
      nodes.map(async (node) => [
        await node.git("rev-parse", "main"),
        await readlink(node.paths.current),
      ]),
    );
    if (new Set(states.map(String)).size > 1) throw new Error(states.join("; "));
  }, followMs);
}

/**
 * An instance of several nodes behind a load balancer, which gives each request to the next one. So do
 * commands. Its folder and what a test starts or reads there itself is the first node's; what ends or
 * holds processes does so on all nodes, because any of them may be at work.
 */
export async function startBalancedInstance(
  count: number,
  options: InstanceOptions,
): Promise<TestInstance> {
  const stack = new AsyncDisposableStack();
  try {
    const [port = 0] = await freePorts(1);
    const baseUrl = `http://localhost:${port}`;
    const shared = stack.use(await startNodes({ own: { BASE_URL: baseUrl } }));
    const first = await shared.add(options);
    // A port of the test's choice can be only one node's.
    const { METRICS_PORT: _port, ...env } = options.env ?? {};
    const further = Array.from({ length: count - 1 }, () => shared.add({ ...options, env }));
    const nodes = [first, ...(await Promise.all(further))];
    const folder = stack.use(await tempFolder());
    const ports = nodes.map((node) => Number(new URL(node.baseUrl).port));
    const dir = join(folder.path, "balancer");
    stack.use(await startBalancer({ dir, port, nodes: ports }));
    let turn = 0;
    const next = () => nodes[(turn += 1) % count] ?? first;
    const onAll = async (act: (node: TestInstance) => Promise<void>) => {
      await Promise.all(nodes.map(act));
    };
    return {
      ...first,
      paths: { ...first.paths, keys: shared.keys },
      baseUrl,
      nodes,
      log: () => nodes.map((node) => node.log()).join("\n"),
      vitrine: (args, input) => next().vitrine(args, input),
      async git(...args) {
        await waitUntilSame(nodes);
        const output = await first.git(...args);
        if (args.includes("commit")) await waitUntilSame(nodes);
        return output;
      },
      link: () => next().link(),
      start: () => onAll((node) => node.start()),
      stop: () => onAll((node) => node.stop()),
      kill: (name) => onAll((node) => node.kill(name)),
      signal: (name, signal) => onAll((node) => node.signal(name, signal)),
      ready: () => onAll((node) => node.ready()),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
