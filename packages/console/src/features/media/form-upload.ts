import { ApiError, readAnswer, retryAfterSeconds } from "../../api/client.ts";

export interface SendBodyOptions {
  address: string;
  body: FormData | Blob;
  /** The type of a body that isn't a form. */
  type?: string;
  /** With which the server finds the upload before it is done. */
  uploadId?: string;
  signal: AbortSignal;
  /** From 0 to 1 while sending, then null while the server processes it. */
  onProgress(status: "sending" | "working", fraction: number | null): void;
}

export interface FormUploadOptions extends Omit<SendBodyOptions, "body" | "type"> {
  file: File;
  /** Fields before the file. */
  fields: Readonly<Record<string, string>>;
}

/** The error if the server can't be reached. */
export const offline = (): ApiError =>
  new ApiError("offline", "The connection was lost. Retry continues from here.");

/** Sends a body. Rejects with the server's error as an ApiError, or with AbortError. */
export function sendBody<T>(options: SendBodyOptions): Promise<{ status: number; data: T }> {
  const { signal, onProgress } = options;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const onAbort = (): void => request.abort();
    signal.addEventListener("abort", onAbort);
    request.addEventListener("loadend", () => signal.removeEventListener("abort", onAbort));
    request.addEventListener("abort", () => reject(new DOMException("Cancelled", "AbortError")));
    request.addEventListener("error", () => reject(offline()));
    request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && loaded < total) onProgress("sending", loaded / total);
    });
    request.upload.addEventListener("load", () => onProgress("working", null));
    request.addEventListener("load", () => {
      const { status, responseText } = request;
      const header = retryAfterSeconds(request.getResponseHeader("retry-after"), Date.now());
      try {
        resolve({ status, data: readAnswer<T>(status, responseText, header) });
      } catch (error) {
        reject(error as ApiError);
      }
    });
    request.open("POST", options.address);
    request.setRequestHeader("accept", "application/json");
    if (options.type !== undefined) request.setRequestHeader("content-type", options.type);
    if (options.uploadId !== undefined) request.setRequestHeader("upload-id", options.uploadId);
    request.send(options.body);
  });
}

/** Sends a file as one form (multipart/form-data). Rejects as `sendBody` does. */
export function uploadForm<T>(options: FormUploadOptions): Promise<{ status: number; data: T }> {
  const { file, fields, ...rest } = options;
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append("file", file);
  return sendBody<T>({ ...rest, body });
}
