/** A string that changes when a file may have changed: size, modification time and inode. */
export function fileState(stats: { size: number; mtimeMs: number; ino: number }): string {
  return `${stats.size} ${stats.mtimeMs} ${stats.ino}`
}

/**
 * The prefix of a state recorded within one clock tick of the change, when another change could
 * leave it the same.
 */
export const unsettledPrefix = 'unsettled '
