import { flushCompileCache } from "node:module";
import { createLog, backgroundDestination } from "../platform/log.ts";
import { createFront, type FrontSettings } from "./front-server.ts";
import { runProcess, type Service } from "./run-process.ts";
import { descriptorArgument, inheritedDescriptor, listenOn } from "./shared-port.ts";

/** Starts the front on the inherited port. */
async function startFront(settings: FrontSettings): Promise<Service> {
  const destination = backgroundDestination();
  const log = createLog({ level: settings.logLevel, name: "front", destination });
  const front = createFront(settings, log);
  const stopListening = await listenOn(
    front.server,
    descriptorArgument(process.argv) ?? inheritedDescriptor,
  );
  // A killed process couldn't store its compiled code.
  setImmediate(flushCompileCache);
  return {
    async close() {
      const closed = stopListening();
      front.close();
      await closed;
      destination.flushSync();
    },
  };
}

await runProcess("front", () => startFront(JSON.parse(process.argv.at(-1) ?? "") as FrontSettings));
