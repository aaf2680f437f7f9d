/** The option of every command that writes a library version. */
export const lockTimeout = {
  type: 'whole',
  placeholder: 'SECONDS',
  doc: 'wait that long for another og that writes the same version',
  min: 0,
  max: 86_400,
  default: 600,
} as const

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
