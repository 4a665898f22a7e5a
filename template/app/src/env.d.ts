declare module "@snapshot" {
  const snapshot: import("./lib/snapshot.ts").Snapshot;
  export default snapshot;
}

declare module "*.woff2?url" {
  const address: string;
  export default address;
}
