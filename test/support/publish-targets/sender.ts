/**
 * Sends what is due to the targets of a site and ends: `sender.ts <site> <Netlify> <Cloudflare>`.
 * Prints a line when it begins.
 */
import { writeSync } from "node:fs";
import { openTargetSite } from "./target-site.ts";
import { testWorkers } from "../workers.ts";

const [dir = "", netlifyUrl = "", cloudflareUrl = ""] = process.argv.slice(2);
const site = await openTargetSite(dir, { netlifyUrl, cloudflareUrl });
writeSync(1, "begin\n");
await site.deliveries.sendDue();
await site[Symbol.asyncDispose]();
await testWorkers.close();
