/** What tells that a file may have changed: size, time and inode. */
export function fileState(stats: { size: number; mtimeMs: number; ino: number }): string {
  return `${stats.size} ${stats.mtimeMs} ${stats.ino}`
}

/** Stands before a state that a change within the same tick of the clock would leave as it is. */
export const unsettled = 'unsettled '
