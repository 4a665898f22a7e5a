import { registerDesign } from "../features/design/runner.ts";
import { registerQaRunner } from "../features/qa/runner.ts";
import { registerRebuild, registerRecordPreviews } from "../features/release/runner.ts";
import { registerRunPreview } from "../features/runs/routes/preview.ts";
import { registerRunRoutes } from "../features/runs/runner.ts";
import { registerTaskDrain } from "../features/tasks/runner.ts";
import { createLog } from "../platform/log.ts";
import { describeApi, type OpenApiDocument } from "../platform/http/openapi.ts";
import { type AppServer, createHttpServer } from "../platform/http/server.ts";

type RunnerParts = Parameters<typeof registerRunRoutes>[1] &
  Parameters<typeof registerRunPreview>[1] &
  Parameters<typeof registerRebuild>[1] &
  Parameters<typeof registerRecordPreviews>[1] &
  Parameters<typeof registerDesign>[1] &
  Parameters<typeof registerTaskDrain>[1] &
  Parameters<typeof registerQaRunner>[1];

/** The runner's routes, for the runner itself and for the description of the API. */
export function registerRunnerRoutes(app: AppServer, parts: RunnerParts): void {
  registerRunRoutes(app, parts);
  registerRunPreview(app, parts);
  registerRebuild(app, parts);
  registerRecordPreviews(app, parts);
  registerDesign(app, parts);
  registerTaskDrain(app, parts);
  registerQaRunner(app, parts);
}

/** Describes the runner's routes, which visitors of the API reach through the gate. */
export async function describeRunner(info: {
  title: string;
  version: string;
  description: string;
}): Promise<OpenApiDocument> {
  const log = createLog({ level: "silent", name: "description" });
  const app = createHttpServer({ log, name: "description", secure: false });
  const document = await describeApi(app, info);
  // Only the schemas are read: no handler runs, so none of its parts is needed.
  registerRunnerRoutes(app, {} as RunnerParts);
  await app.ready();
  const described = document();
  await app.close();
  return described;
}
