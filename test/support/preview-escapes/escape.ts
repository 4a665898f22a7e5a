/**
 * One way to make a browser send something to a stranger. In its texts URL stands for an address of a
 * host of its own, URL2 for another there, HTTPS and WS for the same with other schemes, HOST for host
 * and port, UDP for the address and port of a STUN server, PREFIX for where the preview's own files are.
 */
export interface Escape {
  /** Lower case, digits and hyphens: also a label of a host name. */
  name: string;
  /** Markup of the page. */
  html?: string;
  /** A body of an async function that runs in the page. */
  script?: string;
  /** Whether it may lead its page away, or change it so that others have no effect there. */
  alone?: boolean;
  /** What the user does in the page. */
  act?: "click" | "middle-click" | "modified-click" | "drag" | "submit";
}
