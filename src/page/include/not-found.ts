/** The line that stands for an include whose file or part was not found. */
export function notFoundLine(target: string): string {
  return `(Included file not found: ${target})`
}

/** Matches `notFoundLine` in a text. */
export const notFoundMark = /\(Included file not found: ([^)\n]{1,300})\)/g
