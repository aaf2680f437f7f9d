/** Returns the line that replaces a missing included file. */
export function missingFileLine(path: string): string {
  return `(The source lacks the file ${path}, which the site shows here.)`
}

/** Returns the line that replaces a missing part of an included file. */
export function missingPartLine(path: string): string {
  return `(The file ${path} lacks the part that the site shows here.)`
}

/** Matches `missingFileLine` in the text. */
export const missingFileMark =
  /\(The source lacks the file [^\n]{1,300}, which the site shows here\.\)/g

/** Matches `missingPartLine`. */
export const missingPartPattern =
  /\(The file [^\n]{1,300} lacks the part that the site shows here\.\)/g

/** Returns the line that replaces an object without source. */
export function notIncludedLine(name: string): string {
  return `\`${name}\` ${notIncluded}`
}

export const notIncluded = '(API reference, not included)'

/** Matches `notIncludedLine`. */
export const notIncludedMark = /(?:`[^`\n]{1,200}` )?\(API reference, not included\)/g
