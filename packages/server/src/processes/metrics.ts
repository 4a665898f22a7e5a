import type { ChildProcess } from "node:child_process";
import { joinFamilies, labelFamilies, type MetricFamily } from "../features/metrics/exposition.ts";
import { makeProcessMetrics } from "../features/metrics/process-metrics.ts";
import { makeRequestMetrics, type RequestMetrics } from "../features/metrics/request-metrics.ts";
import type { AccessLog } from "../platform/access-log.ts";
import type { Config } from "../platform/config.ts";
import type { Log } from "../platform/log.ts";
import { listenForMetrics, metricsAddress, type MetricsServer } from "./metrics-server.ts";
import type { SupervisedProcess, Supervisor } from "./supervisor.ts";

/** The argument of a process whose supervisor serves its metrics. */
export const supervisedMetrics = "--supervised-metrics";

/** What a supervisor sends to a process to get its metrics. */
const question = "metrics";
/** How long a process may take for them, in ms. */
const timeoutMs = 2000;

type ReadMetrics = () => MetricFamily[] | Promise<MetricFamily[]>;

interface MetricsAnswer {
  metrics: MetricFamily[];
}

function isAnswer(message: unknown): message is MetricsAnswer {
  return typeof message === "object" && message !== null && "metrics" in message;
}

/** Answers the supervisor of this process. */
export function answerSupervisor(read: ReadMetrics, log: Log): void {
  const answer = async () => {
    const metrics = await read();
    if (process.connected) process.send?.({ metrics } satisfies MetricsAnswer);
  };
  process.on("message", (message) => {
    if (message !== question) return;
    answer().catch((error: unknown) => log.error({ err: error }, "the metrics can't be read"));
  });
}

/** The metrics of the requests that this process answers, and of the process itself. */
export interface RequestObserver {
  accessLog: AccessLog;
  requests: RequestMetrics;
  read(): MetricFamily[];
}

/** Observes requests beside logging them. */
export function observeRequests(accessLog: AccessLog): RequestObserver {
  const requests = makeRequestMetrics();
  const readOwn = makeProcessMetrics();
  return {
    requests,
    accessLog(request) {
      requests.observe(request);
      accessLog(request);
    },
    read: () => [requests.family(), ...readOwn()],
  };
}

const noServer = { close: async () => {} };

/**
 * Serves the metrics of this process, called `name`: through its supervisor, if that serves them, or
 * at the configured port. `open` is called if they are on.
 */
export async function serveOwnMetrics(
  { name, config, log }: { name: string; config: Config; log: Log },
  open: () => ReadMetrics,
): Promise<{ close(): Promise<void> }> {
  const address = metricsAddress(config);
  if (address === null) return noServer;
  const read = open();
  if (process.argv.includes(supervisedMetrics)) {
    answerSupervisor(read, log);
    return noServer;
  }
  const readLabeled = async () => labelFamilies(await read(), { process: name });
  return listenForMetrics({ address, log, read: readLabeled });
}

/** Asks a process; null if it doesn't answer. */
function askProcess(child: ChildProcess): Promise<MetricFamily[] | null> {
  const { promise, resolve } = Promise.withResolvers<MetricFamily[] | null>();
  const onMessage = (message: unknown) => {
    if (isAnswer(message)) resolve(message.metrics);
  };
  const onEnd = () => resolve(null);
  const timer = setTimeout(onEnd, timeoutMs);
  child.on("message", onMessage);
  child.once("exit", onEnd);
  child.send(question, (error) => {
    if (error !== null) onEnd();
  });
  return promise.finally(() => {
    clearTimeout(timer);
    child.off("message", onMessage);
    child.off("exit", onEnd);
  });
}

async function readProcess({ name, child, restarts }: SupervisedProcess): Promise<MetricFamily[]> {
  const own = child?.connected ? await askProcess(child) : null;
  const families: MetricFamily[] = [
    {
      name: "vitrine_process_up",
      help: "Whether the process answers.",
      type: "gauge",
      samples: [{ labels: {}, value: own === null ? 0 : 1 }],
    },
    {
      name: "vitrine_process_restarts_total",
      help: "How often the process was started again.",
      type: "counter",
      samples: [{ labels: {}, value: restarts }],
    },
    ...(own ?? []),
  ];
  return labelFamilies(families, { process: name });
}

/** Serves the metrics of all processes of a supervisor at the configured port. */
export function serveSupervisedMetrics(
  address: { host: string; port: number },
  supervisor: () => Pick<Supervisor, "processes"> | null,
  log: Log,
): Promise<MetricsServer> {
  const readOwn = makeProcessMetrics();
  return listenForMetrics({
    address,
    log,
    async read() {
      const processes = supervisor()?.processes() ?? [];
      const found = await Promise.all(processes.map(readProcess));
      return joinFamilies([labelFamilies(readOwn(), { process: "supervisor" }), ...found]);
    },
  });
}
