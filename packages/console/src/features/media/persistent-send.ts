import { ApiError } from "../../api/client.ts";
import { pause } from "../../ui/visibility.ts";
import { type Resume, type SendOptions, type Sent, sendFile } from "./send-file.ts";

/** The longest pause between two attempts, in seconds. */
const maxPauseSeconds = 60;

const note = "The connection was lost. The upload continues when it’s back.";

/** Waits until the browser is online again, at most so long. */
async function reconnection(seconds: number, signal: AbortSignal): Promise<void> {
  const listening = new AbortController();
  const wake = (end: () => void): void =>
    addEventListener("online", end, { signal: listening.signal });
  await pause(seconds * 1000, signal, wake);
  listening.abort();
}

/**
 * Sends a file as `sendFile` does, and continues after every break of the connection, with pauses
 * that double up to a minute. The browser's report that it is online again ends a pause.
 */
export async function sendPersistently(
  options: SendOptions,
  resume: Resume,
  send: typeof sendFile = sendFile,
): Promise<Sent> {
  const { signal } = options;
  let failures = 0;
  const onProgress: SendOptions["onProgress"] = (status, fraction) => {
    if (fraction !== null && fraction > 0) failures = 0;
    options.onProgress(status, fraction);
  };
  for (;;) {
    try {
      return await send({ ...options, onProgress }, resume);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "offline") throw error;
    }
    signal.throwIfAborted();
    options.onProgress("sending", null, note);
    await reconnection(Math.min(maxPauseSeconds, 2 ** failures), signal);
    signal.throwIfAborted();
    failures = Math.min(failures + 1, 10);
  }
}
