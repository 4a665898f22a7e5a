import { monitorEventLoopDelay } from "node:perf_hooks";
import type { MetricFamily } from "./exposition.ts";

/** How often the event loop's delay is measured, in ms. */
const resolutionMs = 20;
const nanoseconds = 1e9;

function gauge(name: string, help: string, value: number): MetricFamily {
  return { name, help, type: "gauge", samples: [{ labels: {}, value }] };
}

/** The delay beyond the interval of measuring; 0 before the first one. */
function delaySeconds(measured: number): number {
  const value = measured / nanoseconds - resolutionMs / 1000;
  return Number.isFinite(value) ? Math.max(0, value) : 0;
}

function eventLoopFamilies(delays: ReturnType<typeof monitorEventLoopDelay>): MetricFamily[] {
  const help = "Delay of the event loop since the last scrape";
  const families = [
    gauge("nodejs_eventloop_lag_mean_seconds", `${help}, mean.`, delaySeconds(delays.mean)),
    gauge("nodejs_eventloop_lag_p99_seconds", `${help}, 99%.`, delaySeconds(delays.percentile(99))),
    gauge("nodejs_eventloop_lag_max_seconds", `${help}, maximum.`, delaySeconds(delays.max)),
  ];
  delays.reset();
  return families;
}

/** Memory, processor time, and event loop of this process, by the names that Prometheus clients use. */
export function makeProcessMetrics(): () => MetricFamily[] {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  return () => {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      gauge("process_resident_memory_bytes", "Resident memory of the process.", rss),
      gauge("nodejs_heap_size_used_bytes", "Used JavaScript heap.", heapUsed),
      {
        ...gauge(
          "process_cpu_seconds_total",
          "Processor time of the process.",
          (user + system) / 1e6,
        ),
        type: "counter",
      },
      gauge("process_start_time_seconds", "When the process started.", startedAt),
      ...eventLoopFamilies(delays),
    ];
  };
}
