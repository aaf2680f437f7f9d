/** The line that replaces an included file that the source does not contain. */
export function missingFileLine(path: string): string {
  return `(The source lacks the file ${path}, which the site shows here.)`
}

/** The line that replaces a part that the included file does not contain. */
export function missingPartLine(path: string): string {
  return `(The file ${path} lacks the part that the site shows here.)`
}

/** Matches `missingFileLine` in the text. */
export const missingFileMark =
  /\(The source lacks the file [^\n]{1,300}, which the site shows here\.\)/g

/** Matches `missingPartLine` in the text. */
export const missingPartPattern =
  /\(The file [^\n]{1,300} lacks the part that the site shows here\.\)/g

/** The line that replaces an object whose source cannot be found. */
export function notIncludedLine(name: string): string {
  return `\`${name}\` ${notIncluded}`
}

export const notIncluded = '(API reference, not included)'

/** Matches `notIncludedLine` in the text. */
export const notIncludedMark = /(?:`[^`\n]{1,200}` )?\(API reference, not included\)/g
