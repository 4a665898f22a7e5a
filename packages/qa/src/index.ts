/* The public API of the package. */
export { QaError, type QaErrorCode } from "./errors.ts";
export type { Progress } from "./engine/job.ts";
export type { QaLimits } from "./limits.ts";
export { formats as reportFormats } from "./report/formats.ts";
export type { QaReport, ReportFinding } from "./report/report.ts";
export { type QaOptions, runQa } from "./run-qa.ts";
