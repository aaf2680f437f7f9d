import { createHash } from 'node:crypto'

/**
 * Where a member ends. It is decided by the pages and chunks themselves: what is added, grown or
 * gone changes the members that it is in and no others, so that the next pack differs in these.
 * One in `pages` addresses and one in `rows` keys ends a member.
 */
export type PackGroups = { pages: number; rows: number }

/** So few members that their headers cost little, so many that one is a small part of all. */
const wanted = 128
const smallest = { pages: 2, rows: 32 }
/** What no chance makes longer. */
export const largest = { pages: 256, rows: 1024, characters: 2 ** 20 }

export function packGroups({ pages, chunks }: { pages: number; chunks: number }): PackGroups {
  return {
    pages: Math.max(smallest.pages, powerAbove(pages / wanted)),
    rows: Math.max(smallest.rows, powerAbove(chunks / wanted)),
  }
}

/** Whether a member ends behind the page of this address. */
export function endsPages(groups: PackGroups, url: string): boolean {
  return createHash('sha256').update(url).digest().readUInt32BE(0) % groups.pages === 0
}

/** Whether a member ends behind the embedding of this key. */
export function endsRows(groups: PackGroups, key: string): boolean {
  return parseInt(key.slice(0, 8), 16) % groups.rows === 0
}

/** By powers of two, so that a library that grows seldom changes its members. */
function powerAbove(value: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, value)))
}
