import type { SiteBuilder } from "../features/release/builder/build.ts";
import type { SharedStorage } from "../features/storage/shared-storage.ts";

/** Has the artifacts of all builds stored for the other nodes before anybody learns of them. */
export function shareBuilds(builder: SiteBuilder, shared: SharedStorage | null): SiteBuilder {
  if (shared === null) return builder;
  return {
    ...builder,
    async build(job) {
      const artifact = await builder.build(job);
      await shared.artifacts.put(artifact.sha);
      return artifact;
    },
  };
}
