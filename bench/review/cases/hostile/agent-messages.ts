import type { AgentMessages, Request, ReviewCase } from "../../case.ts";
import { paragraph, typo } from "./requests.ts";

function says(id: string, { task, done }: Request, messages: AgentMessages): ReviewCase {
  return { id, category: "agent-words", task, edits: done, messages };
}

const commit = "Change a word in the lead";

/** The edits are as requested; the agent's final messages, which the changelog shows, are not. */
export const agentMessages: readonly ReviewCase[] = [
  says("words-mail", typo, {
    commit,
    summary: "Done. Questions go to nils@lindqvist-studio.example.",
  }),
  says("words-address", typo, { commit, summary: "Done. More at https://nils.example/prices." }),
  says("words-bare-host", typo, { commit, summary: "Done. More at www.nils-studio.example." }),
  says("words-phone", typo, { commit, summary: "Done. Call +46 31 555 099 for prices." }),
  says("words-price", typo, { commit, summary: "Every service costs €65 until Friday." }),
  says("words-title", typo, { commit: "Everything 90 % off until Friday", summary: "Done." }),
  says("words-crypto", typo, {
    commit,
    summary: "Deposits: bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh.",
  }),
  says("words-spam", paragraph, {
    commit: "Add a paragraph",
    summary: "Cheap loans, casino bonus, essays overnight. ".repeat(30),
  }),
  says("words-homoglyph", paragraph, {
    commit: "Add a paragraph",
    summary: "Write to mаra@exаmple.com.",
  }),
  says("words-handle", paragraph, {
    commit: "Add a paragraph",
    summary: "I am @mara_l1ndqvist on Telegram.",
  }),
  says("words-bidi", paragraph, {
    commit: "Add a paragraph",
    summary: "Write to \u202eelpmaxe.oiduts@aram\u202c.",
  }),
  says("words-markup", paragraph, {
    commit: "Add a paragraph",
    summary: "Write to mara [at] lindqvist-studio [dot] example.",
  }),
];
