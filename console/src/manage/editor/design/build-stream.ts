import type {
  BuildProjectBody,
  BuiltProject,
  DesignProgress,
} from "../../../../../src/features/design/schema.ts";
import { makeSseParser } from "../../../sse.ts";
import { ClientError, readAnswer, retryAfterSeconds } from "../../client.ts";

const address = "/devconsole/build-project";

export interface BuildCall {
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
  onProgress(progress: DesignProgress): void;
  /** Lets the owner sign in again; rejects when they don't. */
  signIn(): Promise<void>;
}

const broken = (): ClientError =>
  new ClientError("offline", "The connection broke off. Everything here is kept.");

async function open(body: Partial<BuildProjectBody>, call: BuildCall): Promise<Response> {
  for (;;) {
    let answer: Response;
    try {
      answer = await call.fetch(address, {
        method: "POST",
        credentials: "same-origin",
        cache: "no-store",
        headers: { accept: "text/event-stream", "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: call.signal,
      });
    } catch (cause) {
      if ((cause as Error).name === "AbortError") throw cause;
      throw broken();
    }
    if (answer.ok) return answer;
    if (answer.status !== 401) {
      const retryAfter = retryAfterSeconds(answer.headers.get("retry-after"), Date.now());
      return readAnswer<never>(answer.status, await answer.text(), retryAfter);
    }
    await call.signIn();
  }
}

interface Refusal {
  code: string;
  message: string;
  fields?: Record<string, string>;
  details?: unknown;
}

/** Asks the Web Designer for a project and follows how it goes. Throws a ClientError, or the abort. */
export async function buildProject(
  body: Partial<BuildProjectBody>,
  call: BuildCall,
): Promise<BuiltProject> {
  const answer = await open(body, call);
  let result: BuiltProject | null = null;
  const parser = makeSseParser(({ type, data }) => {
    const said: unknown = JSON.parse(data);
    if (type === "progress") call.onProgress(said as DesignProgress);
    if (type === "result") result = said as BuiltProject;
    if (type === "error") {
      const { code, message, ...more } = said as Refusal;
      throw new ClientError(code, message, 502, more);
    }
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await reader?.read().catch((cause: unknown) => {
      if (call.signal.aborted) throw cause;
      throw broken();
    });
    if (piece === undefined || piece.done) break;
    parser.push(piece.value);
  }
  if (result === null) throw broken();
  return result;
}
