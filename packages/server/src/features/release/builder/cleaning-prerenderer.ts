import type { AstroPrerenderer } from "astro";
import type { PageCleaner } from "../source-tags/page-cleaner.ts";

/** Makes the answer's body the page without its tags; another answer would cost as much again. */
async function clean(response: Response, cleaner: PageCleaner): Promise<void> {
  if (response.body === null) return;
  const content = cleaner.clean(Buffer.from(await response.arrayBuffer()));
  Object.defineProperty(response, "arrayBuffer", {
    value: async () => new Uint8Array(content).buffer,
  });
}

/** A prerenderer whose pages have no tags. */
export function cleaningPrerenderer(
  prerenderer: AstroPrerenderer,
  cleaner: PageCleaner,
): AstroPrerenderer {
  return {
    ...prerenderer,
    async render(request, options) {
      const result = await prerenderer.render(request, options);
      await clean(result instanceof Response ? result : result.response, cleaner);
      return result;
    },
  };
}
