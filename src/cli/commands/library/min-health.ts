/** The option of commands that publish. */
export const minHealth = {
  type: 'whole',
  placeholder: 'PERCENT',
  doc:
    'publish only where the search health (og eval --self) is at least that; ' +
    'what is unchanged is measured too',
  min: 0,
  max: 100,
} as const
