import { registerDesign } from "../features/design/runner.ts";
import { registerPagesRun } from "../features/pages/runner.ts";
import { registerDeliveries } from "../features/publish-targets/runner.ts";
import { registerQaRunner } from "../features/qa/runner.ts";
import { registerRebuild, registerRecordPreviews } from "../features/release/runner.ts";
import { registerRunPreview } from "../features/runs/routes/preview.ts";
import { registerRunRoutes } from "../features/runs/runner.ts";
import { registerSetupRun } from "../features/setup/runner.ts";
import { registerTaskWorker } from "../features/tasks/runner.ts";
import { createLog } from "../platform/log.ts";
import { describeApi, type OpenApiDocument } from "../platform/http/openapi.ts";
import { type AppServer, createHttpServer } from "../platform/http/server.ts";

type RunnerDependencies = Parameters<typeof registerRunRoutes>[1] &
  Parameters<typeof registerRunPreview>[1] &
  Parameters<typeof registerRebuild>[1] &
  Parameters<typeof registerRecordPreviews>[1] &
  Parameters<typeof registerDesign>[1] &
  Parameters<typeof registerSetupRun>[1] &
  Parameters<typeof registerPagesRun>[1] &
  Parameters<typeof registerTaskWorker>[1] &
  Parameters<typeof registerDeliveries>[1] &
  Parameters<typeof registerQaRunner>[1];

/** The runner's routes, for the runner itself and for the API description. */
export function registerRunnerRoutes(app: AppServer, deps: RunnerDependencies): void {
  registerRunRoutes(app, deps);
  registerRunPreview(app, deps);
  registerRebuild(app, deps);
  registerRecordPreviews(app, deps);
  registerDesign(app, deps);
  registerSetupRun(app, deps);
  registerPagesRun(app, deps);
  registerTaskWorker(app, deps);
  registerDeliveries(app, deps);
  registerQaRunner(app, deps);
}

/** Describes the runner's routes, which API clients reach through the gate. */
export async function describeRunner(info: {
  title: string;
  version: string;
  description: string;
}): Promise<OpenApiDocument> {
  const log = createLog({ level: "silent", name: "description" });
  const app = createHttpServer({ log, name: "description", secure: false });
  const document = await describeApi(app, info);
  // Only the schemas are read: no handler runs, so no dependencies are needed.
  registerRunnerRoutes(app, {} as RunnerDependencies);
  await app.ready();
  const described = document();
  await app.close();
  return described;
}
