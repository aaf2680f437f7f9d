import type { FullTextQuery, Query, Table, VectorQuery } from '@lancedb/lancedb'
import type { RecordBatch, Table as ArrowTable } from 'apache-arrow'

/**
 * The column of a service's table that has the id under which a row was written. A service may
 * rewrite its files and so number the rows anew; sums of rows are kept by the first number.
 */
export const idColumn = 'og_row'

/** A filter of a hosted table: the rows of these numbers, and those between them. */
export function rowsFrom(first: bigint, last: bigint): string {
  return `${idColumn} >= ${first} AND ${idColumn} <= ${last}`
}

/**
 * A table of a service as og reads its own: `_rowid` is `idColumn`, which is none of the columns.
 * Of a query it knows what the readers of `store/chunks` and `store/pages` ask; no other method is
 * there, so it is a `Table` to them alone.
 */
export function hostedTable(table: Table): Table {
  const names = async () => (await table.schema()).fields.map(({ name }) => name)
  const columns = async () => (await names()).filter((name) => name !== idColumn)
  const methods = {
    query: () => asking(table.query(), { columns }),
    takeRowIds: (ids: readonly bigint[]) =>
      asking(table.query().where(`${idColumn} IN (${ids.join(', ')})`), { columns }),
    schema: async () => {
      const { fields } = await table.schema()
      return { fields: fields.filter(({ name }) => name !== idColumn) }
    },
    countRows: (filter?: string) => table.countRows(filter),
    listIndices: () => table.listIndices(),
    close: () => table.close(),
  }
  return methods as unknown as Table
}

type Asking = {
  /** What a query means that selects none. */
  columns: () => Promise<string[]>
  selected?: string[]
  isNumbered?: boolean
}

/** A query that is not sent yet. */
function asking(query: Query | VectorQuery, state: Asking) {
  const on = (next: unknown) => asking(next as Query, state)
  const near = query as VectorQuery
  const sent = async () => {
    const { columns, selected, isNumbered } = state
    const own = selected ?? (await columns())
    return query.select(isNumbered ? [...own, idColumn] : own)
  }
  const toArrow = async () => {
    const answer = (await (await sent()).toArrow()) as ArrowTable
    return { batches: answer.batches.map(named), numRows: answer.numRows }
  }
  return {
    where: (filter: string) => on(query.where(filter)),
    limit: (most: number) => on(query.limit(most)),
    fullTextSearch: (text: FullTextQuery) => on(query.fullTextSearch(text)),
    nearestTo: (vector: Float32Array) => on((query as Query).nearestTo(vector)),
    distanceType: (type: 'dot') => on(near.distanceType(type)),
    bypassVectorIndex: () => on(near.bypassVectorIndex()),
    nprobes: (parts: number) => on(near.nprobes(parts)),
    refineFactor: (factor: number) => on(near.refineFactor(factor)),
    select: (selected: string[]) => asking(query, { ...state, selected }),
    withRowId: () => asking(query, { ...state, isNumbered: true }),
    toArrow,
    toArray: async () => (await toArrow()).batches.flatMap((batch) => batch.toArray()),
    async *[Symbol.asyncIterator]() {
      for await (const batch of await sent()) yield named(batch as RecordBatch)
    },
  }
}

/** With `idColumn` called as LanceDB calls its own. */
function named(batch: RecordBatch): RecordBatch {
  const fields = batch.schema.fields.map((field) =>
    field.name === idColumn ? field.clone({ name: '_rowid' }) : field,
  )
  return renamed(batch, fields)
}

/** With `_rowid` called `idColumn`: rows on their way into a service. */
export function numbered(batch: RecordBatch): RecordBatch {
  const fields = batch.schema.fields.map((field) =>
    field.name === '_rowid' ? field.clone({ name: idColumn }) : field,
  )
  return renamed(batch, fields)
}

/** LanceDB's copy of Arrow knows its own classes alone, so these are taken from the batch. */
function renamed(batch: RecordBatch, fields: RecordBatch['schema']['fields']): RecordBatch {
  const classes = {
    Batch: batch.constructor as typeof RecordBatch,
    Schema: batch.schema.constructor as new (fields: unknown) => RecordBatch['schema'],
    Struct: batch.data.type.constructor as new (fields: unknown) => typeof batch.data.type,
  }
  const rows = batch.data.clone(new classes.Struct(fields))
  return new classes.Batch(new classes.Schema(fields), rows)
}
