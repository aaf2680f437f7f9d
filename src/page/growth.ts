/** Limits how far a page may grow by its includes and its substitutions. */
export type Growth = {
  /** Reserves characters, before they are made. Once it has returned false, nothing fits. */
  take(length: number): boolean
  /** The number of characters that still fit. */
  left(): number
  /** Reserves a look-up of a file; false if there are too many. */
  takeFile(): boolean
  /** Reserves a search of a file's text for the part to include; false if it is too much. */
  takeText(length: number): boolean
  /** What did not fit, as the end of an error message; null if everything did. */
  refusal(): string | null
}

const mb = 2 ** 20

/** A page may become `factor` times as long, but no longer than `longest`, in characters. */
const factor = 16
const longest = 32 * mb
/** Every page may become this long, in characters, since short pages often include large files. */
const shortest = 4 * mb

/** Most files that a page may look up, found or not, and most characters searched in them. */
const fileLimit = 20_000
const textLimit = 256 * mb

/** Makes the limits for one page of `length` characters, shared by all that makes it longer. */
export function growthOf(length: number): Growth {
  const limit = Math.min(longest, Math.max(shortest, factor * length))
  let [left, filesLeft, textLeft] = [limit - length, fileLimit, textLimit]
  let refused: string | null = null
  const unless = (isOver: boolean, reason: string) => {
    if (isOver) refused ??= reason
    return refused === null
  }
  return {
    take: (more) =>
      unless(
        (left -= more) < 0,
        `it grows to more than ${Math.floor(limit / mb)} MB, limit for a file of ${sized(length)}`,
      ),
    left: () => Math.max(0, left),
    takeFile: () => unless(--filesLeft < 0, `it asks for more than ${fileLimit} files to include`),
    takeText: (more) =>
      unless((textLeft -= more) < 0, `what it includes parts of is more than ${textLimit / mb} MB`),
    refusal: () => refused,
  }
}

function sized(length: number): string {
  return length < mb ? `${Math.ceil(length / 1000)} kB` : `${(length / mb).toFixed(1)} MB`
}
