import { createHash } from 'node:crypto'

/**
 * Where a member ends. It is decided by the pages and chunks themselves: what is added, grown or
 * gone changes the members that it is in and no others, so that the next pack differs in these.
 * One in `pages` addresses and one in `rows` keys ends a member.
 */
export type PackGroups = { pages: number; rows: number }

/** So few members that their headers cost little, so many that one is a small part of all. */
const usual = 256
const smallest = { pages: 2, rows: 16 }
/** Where nothing ends a member for long, it ends after this many times what is usual. */
const longest = 2
/** Characters of the pages of a member. */
export const longestText = 2 ** 20

export function packGroups({ pages, chunks }: { pages: number; chunks: number }): PackGroups {
  return {
    pages: Math.max(smallest.pages, powerAbove(pages / usual)),
    rows: Math.max(smallest.rows, powerAbove(chunks / usual)),
  }
}

/** Whether a member ends behind the page of this address, its `count`th. */
export function endsPages(
  groups: PackGroups,
  { url, count }: { url: string; count: number },
): boolean {
  if (count >= groups.pages * longest) return true
  return createHash('sha256').update(url).digest().readUInt32BE(0) % groups.pages === 0
}

/** Whether a member ends behind the embedding of this key, its `count`th. */
export function endsRows(
  groups: PackGroups,
  { key, count }: { key: string; count: number },
): boolean {
  if (count >= groups.rows * longest) return true
  return parseInt(key.slice(0, 8), 16) % groups.rows === 0
}

/** By powers of two, so that a library that grows seldom changes its members. */
function powerAbove(value: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, value)))
}
