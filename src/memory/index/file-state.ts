/** Returns a string that changes if a file may have changed: size, modification time and inode. */
export function fileState(stats: { size: number; mtimeMs: number; ino: number }): string {
  return `${stats.size} ${stats.mtimeMs} ${stats.ino}`
}

/**
 * Prefix of a state that was recorded within one clock tick of the change, when a second change
 * might not alter the state.
 */
export const unsettledPrefix = 'unsettled '
