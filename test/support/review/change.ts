import type { FileEdits } from "../reviewed-site.ts";

/** What a change does to the built template: a snippet for the page /about/, or edits of files. */
export type Change = string | { head: string } | FileEdits;

export const svg = (inner: string, attributes = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"${attributes}>${inner}</svg>`;
