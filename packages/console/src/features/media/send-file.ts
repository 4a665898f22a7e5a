import { DetailedError, Upload } from "tus-js-client";

import { type Client, ApiError, readAnswer, retryAfterSeconds } from "../../api/client.ts";
import type { Job, UploadedMedia } from "../../api/types.ts";
import { pause } from "../../ui/visibility.ts";
import { offline, uploadForm } from "./form-upload.ts";
import { isVideo, maxSingleRequestBytes } from "./upload-rules.ts";

export interface SendOptions {
  file: File;
  alt: string;
  client: Client;
  signal: AbortSignal;
  /** From 0 to 1, or null if unknown; `note` says why it doesn't go on. */
  onProgress(status: "sending" | "working", fraction: number | null, note?: string): void;
}

export interface Sent<M = UploadedMedia> {
  media: M;
  /** False for a file that was stored already. */
  created: boolean;
}

const uploadAddress = "/api/media/upload";
const resumableAddress = "/api/media/uploads";
const jobAddress = "/api/media/jobs/";
/** Interval for polling a running job, in ms. */
const pollEvery = 700;

/** Why an upload is aborted whose page is left: what the server has received, it may complete. */
export const pageLeft = "page left";

/** Has the server cancel an upload when its `signal` is aborted; the result ends that. */
function cancelOnAbort({ client, signal }: SendOptions, id: string): () => void {
  const onAbort = (): void => {
    if (signal.reason === pageLeft) return;
    // What the server has stored before it hears of it stays in the library.
    void client.post(`${jobAddress}${encodeURIComponent(id)}/cancel`, {}).catch(() => {});
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}

const ulidDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A random ID in the form of a ULID. */
function newUploadId(): string {
  const random = crypto.getRandomValues(new Uint8Array(25));
  return `0${Array.from(random, (byte) => ulidDigits[byte % 32]).join("")}`;
}

/** Sends a small file as one request. */
async function sendWhole(options: SendOptions): Promise<Sent> {
  const { file, alt, signal, onProgress } = options;
  const fields = alt === "" ? {} : { alt };
  const uploadId = newUploadId();
  const done = cancelOnAbort(options, uploadId);
  try {
    const response = await uploadForm<UploadedMedia>({
      address: uploadAddress,
      file,
      fields,
      uploadId,
      signal,
      onProgress,
    });
    return { media: response.data, created: response.status === 201 };
  } finally {
    // An abort has been told the server by now.
    done();
  }
}

/** The server's error about a part of a resumable upload. */
function partRefusal(error: Error): ApiError {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  if (!response || response.getStatus() === 0) return offline();
  const header = retryAfterSeconds(response.getHeader("retry-after") ?? null, Date.now());
  try {
    readAnswer(response.getStatus(), response.getBody(), header);
  } catch (refusal) {
    return refusal as ApiError;
  }
  return new ApiError("internal", "The server sent an unexpected response.");
}

/** Sends a file in parts; returns the upload's ID, which is also its job's. */
function sendParts(options: SendOptions, resume: Resume): Promise<string> {
  const { file, alt, signal, onProgress } = options;
  return new Promise((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint: resumableAddress,
      uploadUrl: resume.address,
      metadata: { filename: file.name, filetype: file.type, alt },
      // The browser would remember uploads longer than the server keeps them.
      storeFingerprintForResuming: false,
      retryDelays: [0, 1000, 3000],
      onShouldRetry: (error) => {
        const status = error.originalResponse?.getStatus() ?? 0;
        return navigator.onLine && (status === 0 || status === 409 || status === 423);
      },
      onUploadUrlAvailable: () => {
        resume.address = upload.url;
      },
      onProgress: (sent, total) => onProgress("sending", total > 0 ? sent / total : null),
      onSuccess: () => {
        signal.removeEventListener("abort", onAbort);
        resolve(upload.url?.split("/").at(-1) ?? "");
      },
      onError: (error) => {
        signal.removeEventListener("abort", onAbort);
        const refusal = partRefusal(error);
        // An upload that the server has forgotten is sent again next time.
        if (refusal.status === 404 || refusal.status === 410) resume.address = null;
        reject(refusal);
      },
    });
    const onAbort = (): void => {
      // Terminating tells the server that the rest won't come.
      void upload.abort(true).catch(() => {});
      reject(new DOMException("Cancelled", "AbortError"));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    upload.start();
  });
}

/** Polls a job until it is done, and cancels it on abort. Polls without a connection are repeated a few times. */
async function followJob(id: string, options: SendOptions): Promise<Sent> {
  const done = cancelOnAbort(options, id);
  try {
    return await pollJob(id, options);
  } finally {
    done();
  }
}

async function pollJob(id: string, options: SendOptions): Promise<Sent> {
  const { client, signal, onProgress } = options;
  let failures = 0;
  for (;;) {
    try {
      const job = await client.get<Job>(jobAddress + encodeURIComponent(id), {}, signal);
      failures = 0;
      if (job.status === "done" && job.media) {
        return { media: job.media, created: job.created ?? true };
      }
      if (job.status === "failed") {
        const { code, message, details } = job.error ?? {
          code: "internal",
          message: "The upload failed.",
        };
        throw new JobFailed(code, message, 200, { details });
      }
      onProgress("working", job.status === "working" ? job.progress : null);
    } catch (error) {
      const passing = error instanceof ApiError && (error.status === 0 || error.status >= 502);
      failures += 1;
      if (!passing || error instanceof JobFailed || failures > 5) throw error;
    }
    await pause(pollEvery, signal);
    signal.throwIfAborted();
  }
}

/** The server has processed the file and refuses it, so the upload can't be reused. */
class JobFailed extends ApiError {}

/** A partial upload that was started before. */
export interface Resume {
  address: string | null;
  /** The job of a completely uploaded file. */
  job: string | null;
}

/**
 * Sends a file and waits until the server has processed it. If the session has ended, the owner
 * signs in again and it continues. Rejects with the server's error as an ApiError, or with
 * AbortError.
 */
export async function sendFile(options: SendOptions, resume: Resume): Promise<Sent> {
  const { file, client } = options;
  for (;;) {
    try {
      if (file.size <= maxSingleRequestBytes && !isVideo(file)) return await sendWhole(options);
      resume.job ??= await sendParts(options, resume);
      options.onProgress("working", null);
      return await followJob(resume.job, options);
    } catch (error) {
      if (error instanceof JobFailed || (error as ApiError).status === 404) {
        Object.assign(resume, { address: null, job: null });
      }
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
    }
    await client.signIn();
  }
}
