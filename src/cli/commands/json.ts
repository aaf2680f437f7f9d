/** The `--json` option of commands that print a result. */
export const jsonOption = { type: 'switch', doc: 'print a JSON object' } as const
