import { expect } from "vitest";
import type { AgentContext } from "../../packages/server/src/features/agent/agent.ts";
import type { Run } from "../../packages/server/src/features/runs/schema.ts";
import type { RunsApp } from "./runs-app.ts";

/** The runner, as the console uses it. */
export interface RunsConsole {
  /** Posts and returns the response's data; throws for any other status. */
  post<T = Run>(name: string, body: object, status?: number): Promise<T>;
  /** Posts a request that is refused, and returns the error. */
  refused(
    name: string,
    body: object,
  ): Promise<{
    status: number;
    code: string;
    message: string;
    details?: unknown;
    fields?: unknown;
  }>;
  get<T>(path: string): Promise<T>;
  run(runId: string): Promise<Run>;
  /** Starts a run and waits until it has finished. */
  start(name: "run" | "retry" | "reapply" | "restore", body: object): Promise<Run>;
  /** The run's events: types, with the status where it changes. */
  types(runId: string): Promise<string[]>;
}

/** Uses a runner over HTTP as the signed-in admin. */
export function consoleOf(app: RunsApp): RunsConsole {
  const asked: RunsConsole = {
    async post<T>(name: string, body: object, status = 200) {
      const response = await app.ask(`/devconsole/${name}`, { body });
      expect([name, response.status, response.text]).toEqual([name, status, expect.anything()]);
      return response.json().data as T;
    },
    async refused(name, body) {
      const response = await app.ask(`/devconsole/${name}`, { body });
      const { error } = response.json();
      return { status: response.status, ...(error as { code: string; message: string }) };
    },
    async get<T>(path: string) {
      const response = await app.ask(`/devconsole/${path}`);
      expect([path, response.status, response.text]).toEqual([path, 200, expect.anything()]);
      return response.json().data as T;
    },
    run: (runId) => asked.get<Run>(`runs/${runId}`),
    async start(name, body) {
      const { runId } = await asked.post<{ runId: string }>(name, body, 202);
      await app.runs.waitUntilFinished(runId);
      return asked.run(runId);
    },
    async types(runId) {
      return (await app.events.listAfter(runId, 0)).map(({ type, data }) =>
        type === "run.status" ? `=${(data as { status: string }).status}` : type,
      );
    },
  };
  return asked;
}

/** Waits until the run is stopped, like an agent whose model doesn't respond. */
export async function hang({ signal }: AgentContext): Promise<never> {
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  }
  throw signal.reason;
}
