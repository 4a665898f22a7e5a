import type { Device } from "./preview-url.ts";

/** The state of the preview, and its actions. */
export interface Preview {
  /** The address of the framed preview; null if there is none. */
  url: string | null;
  /** Whether the preview gets the focus when it opens; not if it opened automatically. */
  takesFocus: boolean;
  device: Device;
  /** Whether the live site is shown under it. */
  comparing: boolean;
  /** The preview's frame. */
  frame: HTMLIFrameElement | null;
  setDevice(device: Device): void;
  setFrame(frame: HTMLIFrameElement | null): void;
  /** Toggles the comparison with the live site; opens the preview if necessary. */
  compare(): void;
  toggle(): void;
  close(): void;
}
