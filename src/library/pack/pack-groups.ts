import { createHash } from 'node:crypto'

/**
 * Decides where a member ends, by the pages and chunks themselves: one in `pages` addresses and one
 * in `rows` keys ends a member. An added, longer or deleted page then changes only the member it is
 * in, so that consecutive packs share the others.
 */
export type PackGroups = { pages: number; rows: number }

/**
 * The usual number of members: few enough that their headers cost little, many enough that one is a
 * small part of the pack.
 */
const usual = 256
const smallest = { pages: 2, rows: 16 }
/** Without such an address or key, a member ends after this many times its usual size. */
const longest = 2
/** Most characters in the pages of one member. */
export const longestText = 2 ** 20

export function packGroups({ pages, chunks }: { pages: number; chunks: number }): PackGroups {
  return {
    pages: Math.max(smallest.pages, powerAbove(pages / usual)),
    rows: Math.max(smallest.rows, powerAbove(chunks / usual)),
  }
}

/** Whether a member ends behind the page with this address, which is its `count`th. */
export function endsPages(
  groups: PackGroups,
  { url, count }: { url: string; count: number },
): boolean {
  if (count >= groups.pages * longest) return true
  return createHash('sha256').update(url).digest().readUInt32BE(0) % groups.pages === 0
}

/** Whether a member ends behind the embedding with this key, which is its `count`th. */
export function endsRows(
  groups: PackGroups,
  { key, count }: { key: string; count: number },
): boolean {
  if (count >= groups.rows * longest) return true
  return parseInt(key.slice(0, 8), 16) % groups.rows === 0
}

/** Rounds up to a power of two, so that a growing library seldom changes its members. */
function powerAbove(value: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, value)))
}
