import { readFile, writeFile } from "node:fs/promises";
import type { TestInstance } from "./instance.ts";
import type { ModelServer } from "./model-server.ts";

/** Configures an instance to use the scripted model, and restarts it. */
export async function useModel(
  instance: Pick<TestInstance, "paths" | "start" | "stop">,
  { url: baseUrl }: Pick<ModelServer, "url">,
): Promise<void> {
  await instance.stop();
  const { configFile } = instance.paths;
  const config = JSON.parse(await readFile(configFile, "utf8")) as object;
  const model = { provider: "openai-compatible", id: "scripted", baseUrl };
  await writeFile(configFile, JSON.stringify({ ...config, model }));
  await instance.start();
}
