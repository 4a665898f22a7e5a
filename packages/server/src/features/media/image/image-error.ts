import type { ImageFault } from "./protocol.ts";

/** Thrown inside a worker; the calling process converts it to an AppError. */
export class ImageError extends Error {
  readonly reason: ImageFault;

  constructor(reason: ImageFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ImageError";
    this.reason = reason;
  }
}
