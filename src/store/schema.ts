import {
  Field,
  FixedSizeList,
  Float32,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
  type Data,
  type DataType,
} from 'apache-arrow'

/** Columns in table order. Columns that are not in `numbers` contain text. */
export type Columns = { texts: readonly string[]; numbers: readonly string[] }

export type Cells = Record<string, string | number>

const text = new Utf8()
const integer = new Int32()

/**
 * Builds an Arrow table from rows. With embeddings, the last column is `vector`, which uses `block`
 * (row-major, rows × dimensions) without copying.
 */
export function arrowTable(
  columns: Columns,
  rows: readonly Cells[],
  embeddings: { block: Float32Array; dimensions: number } | null,
): Table {
  const schema = arrowSchema(columns, embeddings?.dimensions ?? null)
  const children: Data[] = [
    ...columns.texts.map((name) => textColumn(rows.map((row) => row[name] as string))),
    ...columns.numbers.map((name) =>
      makeData({ type: integer, data: Int32Array.from(rows, (row) => row[name] as number) }),
    ),
  ]
  if (embeddings !== null) children.push(vectorColumn(embeddings, rows.length))
  const rowsOf = makeData({ type: new Struct(schema.fields), length: rows.length, children })
  return new Table(schema, [new RecordBatch(schema, rowsOf)])
}

function arrowSchema(columns: Columns, dimensions: number | null): Schema {
  const fields: Field<DataType>[] = [
    ...columns.texts.map((name) => new Field(name, text, false)),
    ...columns.numbers.map((name) => new Field(name, integer, false)),
  ]
  if (dimensions !== null) fields.push(new Field('vector', vectorType(dimensions), false))
  return new Schema(fields)
}

function vectorType(dimensions: number): FixedSizeList<Float32> {
  return new FixedSizeList(dimensions, new Field('item', new Float32(), true))
}

/** Builds a column without Arrow's builder, which creates several objects per value. */
function textColumn(values: string[]): Data {
  const protectedValues = values.map(protectByteOrderMark)
  const valueOffsets = new Int32Array(protectedValues.length + 1)
  protectedValues.forEach((value, i) => {
    valueOffsets[i + 1] = valueOffsets[i]! + Buffer.byteLength(value)
  })
  const bytes = Buffer.alloc(valueOffsets.at(-1)!)
  protectedValues.forEach((value, i) => bytes.write(value, valueOffsets[i]!))
  return makeData({
    type: text,
    length: protectedValues.length,
    nullCount: 0,
    valueOffsets,
    data: bytes,
  })
}

/** Doubles a leading U+FEFF, because Arrow's decoder strips one as a byte order mark. */
function protectByteOrderMark(value: string): string {
  return value.startsWith('\ufeff') ? `\ufeff${value}` : value
}

function vectorColumn(
  { block, dimensions }: { block: Float32Array; dimensions: number },
  length: number,
): Data {
  const child = makeData({ type: new Float32(), data: block })
  return makeData({ type: vectorType(dimensions), length, nullCount: 0, child })
}
