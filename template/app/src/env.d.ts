declare module "@snapshot" {
  import type { Snapshot } from "./lib/snapshot.ts";
  const snapshot: Snapshot;
  export default snapshot;
}

declare module "*.woff2?url" {
  const address: string;
  export default address;
}
