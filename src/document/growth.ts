/** Limits how much a page may grow by includes and substitutions. */
export type GrowthLimit = {
  /** Reserves characters before they are created. Once it has returned false, it always does. */
  take(length: number): boolean
  /** The number of characters that can still be reserved. */
  left(): number
  /** Counts a file lookup. Returns false if the limit is exceeded. */
  takeFile(): boolean
  /** Counts a search through the text of a file. Returns false if the limit is exceeded. */
  takeText(length: number): boolean
  /** Returns a separate limit with the remainder of this one, for text that is created again. */
  copy(): GrowthLimit
  /** The limit that was exceeded, as the end of an error message; null if none was. */
  refusal(): string | null
}

const mb = 2 ** 20

/** A page may grow to `factor` times its length, but to at most `longest` characters. */
const factor = 16
const longest = 32 * mb
/** Every page may grow to this many characters, because short pages often include large files. */
const shortest = 4 * mb

/** Maximum number of file lookups for a page, and of characters searched in the files. */
const fileLimit = 20_000
const textLimit = 256 * mb

/** Creates the limits that the includes and substitutions of one page share. */
export function growthLimitFor(length: number): GrowthLimit {
  const limit = Math.min(longest, Math.max(shortest, factor * length))
  return limitOf({ limit, length }, { left: limit - length, files: fileLimit, text: textLimit })
}

type Rest = { left: number; files: number; text: number }

function limitOf({ limit, length }: { limit: number; length: number }, begin: Rest): GrowthLimit {
  let { left, files: filesLeft, text: textLeft } = begin
  let exceeded: string | null = null
  const unless = (isOver: boolean, reason: string) => {
    if (isOver) exceeded ??= reason
    return exceeded === null
  }
  return {
    take: (more) =>
      unless(
        (left -= more) < 0,
        `it grows to more than ${Math.floor(limit / mb)} MB, limit for a file of ${toSize(length)}`,
      ),
    left: () => Math.max(0, left),
    takeFile: () => unless(--filesLeft < 0, `it asks for more than ${fileLimit} files to include`),
    takeText: (more) =>
      unless((textLeft -= more) < 0, `what it includes parts of is more than ${textLimit / mb} MB`),
    copy: () => limitOf({ limit, length }, { left, files: filesLeft, text: textLeft }),
    refusal: () => exceeded,
  }
}

/** A map that reserves the length of each value read; it has no values beyond the limit. */
export class ChargedValues extends Map<string, string> {
  readonly #growth: GrowthLimit

  constructor(values: Iterable<readonly [string, string]>, growth: GrowthLimit) {
    super(values)
    this.#growth = growth
  }

  override get(name: string): string | undefined {
    const value = super.get(name)
    return value !== undefined && this.#growth.take(value.length) ? value : undefined
  }
}

function toSize(length: number): string {
  return length < mb ? `${Math.ceil(length / 1000)} kB` : `${(length / mb).toFixed(1)} MB`
}
