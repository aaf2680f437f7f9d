/** The option of every command that writes a library version. */
export const lockTimeout = {
  type: 'whole',
  placeholder: 'SECONDS',
  doc: 'wait that long for another og that writes the same version',
  min: 0,
  max: 86_400,
  default: 600,
} as const
