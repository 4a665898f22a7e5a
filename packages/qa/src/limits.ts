/** What one QA run may take. */
export interface QaLimits {
  /** How many pages of the site are checked, and how many of them in a browser. */
  pages: number;
  browserPages: number;
  /** How many addresses of other sites are asked. */
  externals: number;
  /** How long the run may take in all. */
  seconds: number;
  /** Open connections to the site, and to one host of others. */
  connections: number;
  perHost: number;
  /** What is read of one answer. */
  bodyMiB: number;
  /** How long connecting, the first byte and the rest of a body may each take. */
  phaseSeconds: number;
}

/** The limits of a run that sets none. */
export const defaultQaLimits: Readonly<QaLimits> = {
  pages: 5000,
  browserPages: 500,
  externals: 3000,
  seconds: 1200,
  connections: 32,
  perHost: 10,
  bodyMiB: 20,
  phaseSeconds: 15,
};
