import { CompiledQuery, type RawBuilder, sql } from "kysely";
import { dialectOf } from "./clock.ts";
import type { Db, Dialect } from "./connect.ts";

/** Stands for a value of a statement until it is executed. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A statement whose values are given when it is executed. */
export interface ComposedStatement<Name extends string, Row> {
  compile(db: Db, values: Record<Name, string | number | null>): CompiledQuery<Row>;
  execute(db: Db, values: Record<Name, string | number | null>): Promise<Row[]>;
}

/**
 * Composes a statement once per dialect: composing takes longer than executing a short statement.
 * `compose` gets a parameter for each name.
 */
export function composedStatement<Name extends string, Row>(
  names: readonly Name[],
  compose: (db: Db, parameters: Record<Name, RawBuilder<never>>) => RawBuilder<Row>,
): ComposedStatement<Name, Row> {
  const composed = new Map<Dialect, CompiledQuery<Row>>();
  const composeFor = (db: Db) => {
    const parameters = names.map((name) => [name, sql.val(new Placeholder(name))] as const);
    const all = Object.fromEntries(parameters) as Record<Name, RawBuilder<never>>;
    const statement = compose(db, all).compile(db);
    composed.set(dialectOf(db), statement);
    return statement;
  };
  const compile: ComposedStatement<Name, Row>["compile"] = (db, values) => {
    const { sql: text, parameters } = composed.get(dialectOf(db)) ?? composeFor(db);
    const given = parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as Name] : parameter,
    );
    return CompiledQuery.raw(text, given) as CompiledQuery<Row>;
  };
  return {
    compile,
    execute: async (db, values) => (await db.executeQuery(compile(db, values))).rows,
  };
}
