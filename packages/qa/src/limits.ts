/** The limits of one QA run. */
export interface QaLimits {
  /** The maximum number of pages that are checked, and of those opened in a browser. */
  pages: number;
  browserPages: number;
  /** The maximum number of external addresses that are requested. */
  externals: number;
  /** The maximum duration of the run. */
  seconds: number;
  /** Open connections to the site, and to each external host. */
  connections: number;
  perHost: number;
  /** The maximum of each response that is read. */
  bodyMiB: number;
  /** The maximum for connecting, for the first byte, and for the rest of a body, each. */
  phaseSeconds: number;
}

/** The limits of a run that sets none. */
export const defaultQaLimits: Readonly<QaLimits> = {
  pages: 5000,
  browserPages: 1000,
  externals: 3000,
  seconds: 1200,
  connections: 32,
  perHost: 10,
  bodyMiB: 20,
  phaseSeconds: 15,
};
