/** The only builder of filter strings: `column = 'value'`, with the SQL standard's quoting. */
export function equals(column: string, value: string): string {
  return `${column} = ${quoted(value)}`
}

/** `column IN ('a', 'b')`; no values match nothing. */
export function isIn(column: string, values: readonly string[]): string {
  return values.length === 0 ? 'false' : `${column} IN (${values.map(quoted).join(', ')})`
}

/** `column NOT IN ('a', 'b')`; no values match everything. */
export function isNotIn(column: string, values: readonly string[]): string {
  return values.length === 0 ? 'true' : `NOT (${isIn(column, values)})`
}

function quoted(value: string): string {
  // LanceDB's dialect has no backslash escapes: a quote is doubled and nothing else is special.
  return `'${value.replaceAll("'", "''")}'`
}
