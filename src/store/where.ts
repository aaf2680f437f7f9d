/** The only builder of filter strings: `column = 'value'`, with the SQL standard's quoting. */
export function equals(column: string, value: string): string {
  // LanceDB's dialect has no backslash escapes: a quote is doubled and nothing else is special.
  return `${column} = '${value.replaceAll("'", "''")}'`
}
