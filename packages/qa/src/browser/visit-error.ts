/** Why a page was not looked at, in words that end the sentence “It was not looked at: …”. */
export class VisitError extends Error {}
