import { AppError } from "../../kit/errors.ts";
import type { Engine } from "vitrine-qa/src/engine/job.ts";
import { QaError } from "vitrine-qa/src/errors.ts";

/** Runs code of the QA package and converts its QaError to AppError. */
export async function withAppErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof QaError)) throw error;
    const { code, message, fields, details } = error;
    throw new AppError(code, message, {
      ...(fields && { fields }),
      ...(details !== undefined && { details }),
      cause: error,
    });
  }
}

/** An engine that throws AppErrors. */
export function engineWithAppErrors(engine: Engine): Engine {
  return (job, watch) => withAppErrors(() => engine(job, watch));
}
