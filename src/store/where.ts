/** Builds `column = 'value'` with SQL quoting. Filter strings are built only in this file. */
export function equals(column: string, value: string): string {
  return `${column} = ${quote(value)}`
}

export function isIn(column: string, values: readonly string[]): string {
  return values.length === 0 ? 'false' : `${column} IN (${values.map(quote).join(', ')})`
}

export function isNotIn(column: string, values: readonly string[]): string {
  return values.length === 0 ? 'true' : `NOT (${isIn(column, values)})`
}

function quote(value: string): string {
  // LanceDB's dialect has no backslash escapes: a quote is doubled, and no other character is
  // special.
  return `'${value.replaceAll("'", "''")}'`
}
