/**
 * A text in the records that visitors must not see, for comparison with what would go live. `name`:
 * matched as a whole, such as the name of a draft or an email address; `text`: the owner's words;
 * `message`: visitors' words, of which only long passages, addresses, and numbers count, so that
 * nobody can block publishing by sending ordinary phrases.
 */
export interface PrivateText {
  /** The record, without its text: `draft project 12`. */
  record: string;
  field: string;
  kind: "name" | "text" | "message";
  text: string;
}
