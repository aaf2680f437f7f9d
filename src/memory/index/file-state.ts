/** A text that differs where a file may have changed: size, modification time and inode. */
export function fileState(stats: { size: number; mtimeMs: number; ino: number }): string {
  return `${stats.size} ${stats.mtimeMs} ${stats.ino}`
}

/** The prefix of a state that a later change within the same tick of the clock would not alter. */
export const unsettled = 'unsettled '
