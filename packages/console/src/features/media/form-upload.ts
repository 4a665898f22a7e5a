import { ApiError, readAnswer, retryAfterSeconds } from "../../api/client.ts";

export interface FormUploadOptions {
  address: string;
  file: File;
  /** What goes before the file. */
  fields: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** From 0 to 1 of what is sent, then null while the server works on it. */
  onProgress(status: "sending" | "working", fraction: number | null): void;
}

/** What a sending that found no server fails with. */
export const offline = (): ApiError =>
  new ApiError("offline", "The connection was lost. Retry continues from here.");

/**
 * Sends a file as one form (multipart/form-data). Rejects with the server's refusal as a
 * ApiError, or with AbortError.
 */
export function uploadForm<T>(options: FormUploadOptions): Promise<{ status: number; data: T }> {
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
    const form = new FormData();
    for (const [name, value] of Object.entries(options.fields)) form.append(name, value);
    form.append("file", options.file);
    request.open("POST", options.address);
    request.setRequestHeader("accept", "application/json");
    request.send(form);
  });
}
