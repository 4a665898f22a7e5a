import { createHash } from "node:crypto";
import type { CompiledQuery, KyselyPlugin, UnknownRow } from "kysely";
import type { Db } from "./connect.ts";

/** What has been read from the database, to find out later whether it is still the same. */
export interface RecordedReads {
  /** Records every query that is made with it. */
  db: Db;
  /**
   * Whether each query that was made gives the same rows again, whoever may have written to the
   * database since. False if one can't be repeated.
   */
  isUnchanged(): Promise<boolean>;
}

interface Read {
  query: CompiledQuery;
  /** SHA-256 of its rows. */
  digest: string;
}

/** Many rows as one text are fast, all rows of a large table as one text need much memory. */
const rowsAtOnce = 500;

function digestOf(rows: readonly UnknownRow[]): string {
  const hash = createHash("sha256");
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    hash.update(JSON.stringify(rows.slice(at, at + rowsAtOnce)));
  }
  return hash.digest("hex");
}

/**
 * Starts recording. Comparing the rows themselves finds every change: the next query of a reader depends
 * on nothing but the rows before it.
 */
export function recordReads(source: Db): RecordedReads {
  const asked = new WeakMap<object, CompiledQuery>();
  const reads: Read[] = [];
  let isComplete = true;
  const recorder: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      asked.set(queryId, source.getExecutor().compileQuery(node, queryId));
      return node;
    },
    async transformResult({ queryId, result }) {
      const query = asked.get(queryId);
      // A statement that was compiled elsewhere isn't known.
      if (query === undefined) isComplete = false;
      else reads.push({ query, digest: digestOf(result.rows) });
      return result;
    },
  };
  return {
    db: source.withPlugin(recorder),
    async isUnchanged() {
      if (!isComplete) return false;
      for (const { query, digest } of reads) {
        const { rows } = await source.executeQuery(query);
        if (digestOf(rows as UnknownRow[]) !== digest) return false;
      }
      return true;
    },
  };
}
