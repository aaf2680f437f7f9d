/** How far a page may grow by what it includes, and by what stands for its names. */
export type Growth = {
  /** Whether so many more characters fit. Asked before they are made; after a no, nothing fits. */
  take(length: number): boolean
  /** How many more do. */
  left(): number
  /** Whether one more file may be asked for. */
  takeFile(): boolean
  /** Whether the text of a file, of which a part may be included, may be looked through. */
  takeText(length: number): boolean
  /** What did not fit, as a message ends; null: nothing. */
  refusal(): string | null
}

const mb = 2 ** 20

/** A page may become so many times as long, but no longer than `longest`. */
const factor = 16
const longest = 32 * mb
/** A short page that includes real files is no rare thing. */
const shortest = 4 * mb

/** Files that a page asks for, found or not, and what may be read in them. */
const fileLimit = 20_000
const textLimit = 256 * mb

/** Counts for one page of so many characters; all that makes it longer takes from the same. */
export function growthOf(length: number): Growth {
  const limit = Math.min(longest, Math.max(shortest, factor * length))
  let [left, filesLeft, textLeft] = [limit - length, fileLimit, textLimit]
  let refused: string | null = null
  const unless = (isOver: boolean, reason: string) => {
    if (isOver) refused ??= reason
    return refused === null
  }
  return {
    take: (more) => unless((left -= more) < 0,
      `it grows to more than ${Math.floor(limit / mb)} MB, limit for a file of ${sized(length)}`),
    left: () => Math.max(0, left),
    takeFile: () => unless(--filesLeft < 0, `it asks for more than ${fileLimit} files to include`),
    takeText: (more) => unless((textLeft -= more) < 0,
      `what it includes parts of is more than ${textLimit / mb} MB`),
    refusal: () => refused,
  }
}

function sized(length: number): string {
  return length < mb ? `${Math.ceil(length / 1000)} kB` : `${(length / mb).toFixed(1)} MB`
}
