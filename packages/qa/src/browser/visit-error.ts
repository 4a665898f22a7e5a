/** Why a page wasn't checked, as the end of “Not checked: …”. */
export class VisitError extends Error {}

/**
 * The page's process has ended, usually because of its memory limit. Other pages may be to blame:
 * those that the tab showed before, or those that needed the memory at the same time.
 */
export class CrashError extends VisitError {}
