/**
 * A text of the records that visitors must not see, for comparing what would go live with it.
 * `name`: matched as a whole, such as the name of a draft or somebody's email address; `text`: the
 * owner's words; `message`: words of visitors, of which only long passages, addresses and numbers
 * count, so that nobody can stop the owner's publishing by sending ordinary phrases.
 */
export interface PrivateText {
  /** The record, without any of its words: `draft project 12`. */
  record: string;
  field: string;
  kind: "name" | "text" | "message";
  text: string;
}
