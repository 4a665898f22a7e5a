import type {
  BuildProjectBody,
  BuiltProject,
  DesignProgress,
} from "../../../../../../server/src/features/design/schema.ts";
import { ApiError, type Client } from "../../../../api/client.ts";
import { readEvents } from "../../../../api/event-stream.ts";

export interface BuildCall {
  client: Pick<Client, "open">;
  signal: AbortSignal;
  onProgress(progress: DesignProgress): void;
}

const broken = (): ApiError =>
  new ApiError("offline", "The connection was lost. Your text and images are kept.");

interface Refusal {
  code: string;
  message: string;
  fields?: Record<string, string>;
  details?: unknown;
}

/**
 * Asks the Web Designer for a project and follows its progress. Throws an ApiError, or the abort.
 */
export async function buildProject(
  body: Partial<BuildProjectBody>,
  { client, signal, onProgress }: BuildCall,
): Promise<BuiltProject> {
  const response = await client.open("/devconsole/build-project", { signal, body });
  let result: BuiltProject | null = null;
  let refusal: ApiError | null = null;
  try {
    await readEvents(response, {
      onEvents(events) {
        for (const { type, data } of events) {
          if (type === "progress") onProgress(data as DesignProgress);
          if (type === "result") result = data as BuiltProject;
          if (type === "error") {
            const { code, message, ...more } = data as Refusal;
            refusal = new ApiError(code, message, 502, more);
          }
        }
      },
    });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw broken();
  }
  if (refusal !== null) throw refusal;
  if (result === null) throw broken();
  return result;
}
