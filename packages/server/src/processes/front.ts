import { makeAccessLog } from "../platform/access-log.ts";
import { createLog } from "../platform/log.ts";
import { openBackgroundLog } from "./log-destinations.ts";
import { createFront, type FrontProcessSettings } from "./front-server.ts";
import { answerSupervisor, observeRequests, supervisedMetrics } from "./metrics.ts";
import { runProcess, type Service } from "./run-process.ts";
import { descriptorArgument, inheritedDescriptor, listenOn } from "./shared-port.ts";

/** Starts the front on the inherited port. */
async function startFront(settings: FrontProcessSettings): Promise<Service> {
  const destination = openBackgroundLog(settings.logFile);
  const log = createLog({ level: settings.logLevel, name: "front", destination });
  const isEnabled = log.isLevelEnabled("info");
  let accessLog = makeAccessLog({ name: "front", isEnabled, destination });
  if (process.argv.includes(supervisedMetrics)) {
    const observer = observeRequests(accessLog);
    ({ accessLog } = observer);
    answerSupervisor(observer.read, log);
  }
  const front = createFront(settings, { log, accessLog });
  const stopListening = await listenOn(
    front.server,
    descriptorArgument(process.argv) ?? inheritedDescriptor,
  );
  return {
    async close() {
      const closed = stopListening();
      front.close();
      await closed;
      await destination.close();
    },
  };
}

await runProcess("front", () =>
  startFront(JSON.parse(process.argv.at(-1) ?? "") as FrontProcessSettings),
);
