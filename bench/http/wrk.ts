import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A request that is made again and again. */
export interface WrkTarget {
  name: string;
  url: string;
  headers: Record<string, string>;
  /** The process that answers. */
  pid: number;
}

export interface WrkResult {
  perSecond: number;
  /** Processor time of the server for each request, in µs. */
  cpuMicroseconds: number;
  p99ms: number;
  /** Requests without an answer, or with one that is neither 2xx nor 3xx. */
  failures: number;
}

/** The processor time that a process has used, in µs, to the tick of 10 ms. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

const units: Record<string, number> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

function milliseconds(text: string): number {
  const [, number = "0", unit = "ms"] = /^([\d.]+)([a-z]+)$/.exec(text) ?? [];
  return Number(number) * (units[unit] ?? 1);
}

/** Asks with wrk, which takes far less of the processor than a server does, for whole seconds. */
export async function wrk(
  target: WrkTarget,
  connections: number,
  seconds: number,
): Promise<WrkResult> {
  const headers = Object.entries(target.headers).flatMap(([name, value]) => [
    "-H",
    `${name}: ${value}`,
  ]);
  const options = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "5s", "--latency"];
  const before = cpuOf(target.pid);
  const { stdout } = await run("wrk", [...options, ...headers, target.url]);
  const cpu = cpuOf(target.pid) - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(
    stdout,
  );
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  const lost = (errors ?? []).slice(1).reduce((sum, count) => sum + Number(count), 0);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0),
    cpuMicroseconds: cpu / Math.max(1, requests),
    p99ms: milliseconds(/99%\s+(\S+)/.exec(stdout)?.[1] ?? ""),
    failures: refused + lost,
  };
}
