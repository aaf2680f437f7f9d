/** The option of every command that has something to say. */
export const jsonOption = { type: 'switch', doc: 'print a JSON object' } as const
