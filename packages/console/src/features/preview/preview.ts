import type { Device } from "./preview-url.ts";

/** How a preview is shown, and what changes that. */
export interface Preview {
  /** The address of the preview that is framed; null while none is. */
  url: string | null;
  /** Whether the focus goes there when it opens: not where it has opened without being asked to. */
  takesFocus: boolean;
  device: Device;
  /** Whether the live site lies under it. */
  comparing: boolean;
  /** The frame that it is shown in. */
  frame: HTMLIFrameElement | null;
  setDevice(device: Device): void;
  setFrame(frame: HTMLIFrameElement | null): void;
  /** Lays the live site under it or takes that away; opens the preview where that is needed. */
  compare(): void;
  toggle(): void;
  close(): void;
}
