/** Limits the growth of a page by includes and substitutions. */
export type GrowthLimit = {
  /** Reserves characters before their creation. After the first false, always returns false. */
  take(length: number): boolean
  /** Returns the number of characters that can still be reserved. */
  left(): number
  /** Counts a file lookup. Returns false above the limit. */
  takeFile(): boolean
  /** Counts a search through a file's text. Returns false above the limit. */
  takeText(length: number): boolean
  /** Returns a copy that counts independently, for text that is created again. */
  copy(): GrowthLimit
  /** Returns the exceeded limit as the end of an error message, or null. */
  refusal(): string | null
}

const mb = 2 ** 20

/** A page may grow to `factor` times its length, and at most to `longest` characters. */
const factor = 16
const longest = 32 * mb
/** Any page may grow to this many characters, because short pages often include large files. */
const shortest = 4 * mb

/** Limits on a page's file lookups and on the characters searched in files. */
const fileLimit = 20_000
const textLimit = 256 * mb

/** Creates the common limits for a page's includes and substitutions. */
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
    takeFile: () => unless(--filesLeft < 0, `it includes more than ${fileLimit} files`),
    takeText: (more) =>
      unless(
        (textLeft -= more) < 0,
        `the files that it includes parts of have more than ${textLimit / mb} MB`,
      ),
    copy: () => limitOf({ limit, length }, { left, files: filesLeft, text: textLeft }),
    refusal: () => exceeded,
  }
}

/** A map that reserves the length of each value it returns. Above the limit, it has no values. */
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
