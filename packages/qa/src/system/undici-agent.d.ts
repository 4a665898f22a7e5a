/** Only this part of undici: all of it would cost 15 MB and a tenth of a second. */
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
