import { AppError } from "../../../kit/errors.ts";

/** Why a video is refused, as `details.reason` of `bad_media`. */
export type VideoReason =
  | "no_video_track"
  | "undecodable"
  | "encrypted"
  | "corrupt"
  | "duration_exceeded"
  | "too_many_pixels"
  | "too_much_memory"
  | "timeout";

const sentences: Record<VideoReason, string> = {
  no_video_track: "The file has no video track. Choose another file.",
  undecodable: "The video can't be decoded. Export it as MP4 with H.264 and try again.",
  encrypted: "The video is encrypted. Upload a copy without copy protection.",
  corrupt: "The file is damaged or incomplete. Upload it again, or export it again first.",
  duration_exceeded: "The video is too long.",
  too_many_pixels: "The video has too many pixels.",
  too_much_memory:
    "Converting the video takes too much memory. Export it at a lower resolution and try again.",
  timeout:
    "Converting the video took too long and was stopped. Export it at a lower resolution and try again.",
};

/** The error for an unacceptable video; `more` is appended to the sentence. */
export function videoError(reason: VideoReason, more = "", cause?: unknown): AppError {
  const message = more === "" ? sentences[reason] : `${sentences[reason]} ${more}`;
  return new AppError("bad_media", message, { details: { reason }, cause });
}

/** The error for a file that isn't in any video container. */
export function notAVideo(): AppError {
  return new AppError(
    "unsupported_media_type",
    "This video format isn't supported. Use MP4, MOV, WebM, MKV, AVI or MPEG.",
  );
}
