/** Why a page wasn't checked, as the end of “It was not looked at: …”. */
export class VisitError extends Error {}
