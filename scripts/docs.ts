/**
 * Serves the documents of this repository as a site, with navigation and search:
 *
 *   npm run docs -- [--port 4000]
 * Each page is rendered from its file on request.
 */
import { parseArgs } from "node:util";
import { platformRoot } from "../packages/server/src/platform/paths.ts";
import { serveDocs } from "./docs/site.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "4000" } } });
const port = Number(values.port);
await serveDocs(platformRoot, port);
console.log(`The documents are at http://localhost:${port}`);
