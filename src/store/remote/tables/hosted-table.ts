import type { FullTextQuery, Query, Table, VectorQuery } from '@lancedb/lancedb'
import type { RecordBatch, Table as ArrowTable } from 'apache-arrow'

/**
 * The column of a service's table that stores the original id of a row. A service may rewrite its
 * files and renumber the rows, but the row checksums use the original ids.
 */
export const idColumn = 'og_row'

/** Returns the filter for the rows of a hosted table from `first` to `last`, both included. */
export function rowRangeFilter(first: bigint, last: bigint): string {
  return `${idColumn} >= ${first} AND ${idColumn} <= ${last}`
}

/**
 * Wraps a service's table so that it looks like a local one: `_rowid` is `idColumn`, which is
 * hidden from the columns. Implements only the methods that the readers in `store/chunks` and
 * `store/pages` use.
 */
export function hostedTable(table: Table): Table {
  const names = async () => (await table.schema()).fields.map(({ name }) => name)
  const columns = async () => (await names()).filter((name) => name !== idColumn)
  const methods = {
    query: () => hostedQuery(table.query(), { columns }),
    takeRowIds: (ids: readonly bigint[]) =>
      hostedQuery(table.query().where(`${idColumn} IN (${ids.join(', ')})`), { columns }),
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

type QueryState = { columns: () => Promise<string[]>; selected?: string[]; isNumbered?: boolean }

function hostedQuery(query: Query | VectorQuery, state: QueryState) {
  const on = (next: unknown) => hostedQuery(next as Query, state)
  const near = query as VectorQuery
  const sent = async () => {
    const { columns, selected, isNumbered } = state
    const own = selected ?? (await columns())
    return query.select(isNumbered ? [...own, idColumn] : own)
  }
  const toArrow = async () => {
    const answer = (await (await sent()).toArrow()) as ArrowTable
    return { batches: answer.batches.map(withRowIds), numRows: answer.numRows }
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
    select: (selected: string[]) => hostedQuery(query, { ...state, selected }),
    withRowId: () => hostedQuery(query, { ...state, isNumbered: true }),
    toArrow,
    toArray: async () => (await toArrow()).batches.flatMap((batch) => batch.toArray()),
    async *[Symbol.asyncIterator]() {
      for await (const batch of await sent()) yield withRowIds(batch as RecordBatch)
    },
  }
}

/** Renames `idColumn` to LanceDB's `_rowid`. */
function withRowIds(batch: RecordBatch): RecordBatch {
  const fields = batch.schema.fields.map((field) =>
    field.name === idColumn ? field.clone({ name: '_rowid' }) : field,
  )
  return renameFields(batch, fields)
}

/** Renames `_rowid` to `idColumn`, for rows that are sent to a service. */
export function renameRowIdColumn(batch: RecordBatch): RecordBatch {
  const fields = batch.schema.fields.map((field) =>
    field.name === '_rowid' ? field.clone({ name: idColumn }) : field,
  )
  return renameFields(batch, fields)
}

/**
 * LanceDB's copy of Arrow recognises only its own classes, so the classes are taken from the batch.
 */
function renameFields(batch: RecordBatch, fields: RecordBatch['schema']['fields']): RecordBatch {
  const classes = {
    Batch: batch.constructor as typeof RecordBatch,
    Schema: batch.schema.constructor as new (fields: unknown) => RecordBatch['schema'],
    Struct: batch.data.type.constructor as new (fields: unknown) => typeof batch.data.type,
  }
  const rows = batch.data.clone(new classes.Struct(fields))
  return new classes.Batch(new classes.Schema(fields), rows)
}
