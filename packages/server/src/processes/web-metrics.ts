import type { AccessLog } from "../platform/access-log.ts";
import type { Instance } from "./instance.ts";
import { observeRequests, serveOwnMetrics } from "./metrics.ts";
import { metricsAddress } from "./metrics-server.ts";
import {
  makeInstanceMetricsReader,
  makeMediaObserver,
  type MediaObserver,
} from "./work-metrics.ts";

/** What web observes for metrics. If they are off, nothing is observed. */
export interface WebMetrics {
  /** Logs and observes a request. */
  accessLog: AccessLog;
  /** Observes a request that is logged elsewhere. */
  onAnswered: AccessLog | undefined;
  media: MediaObserver | null;
  /** Serves the metrics until it is closed. */
  serve(): Promise<{ close(): Promise<void> }>;
}

/** Observes the requests and uploads of web, and reads what is the same for all processes. */
export function openWebMetrics(instance: Instance, accessLog: AccessLog): WebMetrics {
  const { config, log } = instance;
  if (metricsAddress(config) === null) {
    const serve = async () => ({ close: async () => {} });
    return { accessLog, onAnswered: undefined, media: null, serve };
  }
  const observer = observeRequests(accessLog);
  const media = makeMediaObserver();
  const readInstance = makeInstanceMetricsReader(instance);
  return {
    accessLog: observer.accessLog,
    onAnswered: (request) => observer.requests.observe(request),
    media,
    serve: () =>
      serveOwnMetrics({ name: "web", config, log }, () => async () => [
        ...observer.read(),
        media.family(),
        ...(await readInstance()),
      ]),
  };
}
