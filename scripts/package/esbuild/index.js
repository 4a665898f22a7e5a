// Stands in for esbuild in the published package. Astro uses it for one thing in builds of a site's
// pages: to replace `import.meta.env`. Rolldown, which is there anyway, does the same, and saves 11 MB.
import { transform as transformModule } from "rolldown/utils";

export async function transform(code, { define, sourcefile = "module.js", sourcemap = false }) {
  const options = { lang: "js", sourceType: "module", define, sourcemap: sourcemap !== false };
  const result = await transformModule(sourcefile, code, options);
  const [error] = result.errors;
  if (error !== undefined) throw new Error(error.message);
  return { code: result.code, map: result.map ? JSON.stringify(result.map) : "", warnings: [] };
}

/** For client directives of integrations, which the configuration of a site's build never has. */
export function build() {
  throw new Error("esbuild isn't part of this package, so client directives can't be added.");
}
