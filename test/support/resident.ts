import { readFileSync } from 'node:fs'

const pageBytes = 4096

/**
 * Bytes that a process and its children have in memory now, of what they share with files (the
 * executable above all) the largest part once; what is gone has none.
 */
export function residentBytes(pid: number): number {
  const sizes = sizesOf(pid)
  const own = sizes.reduce((sum, { resident, shared }) => sum + resident - shared, 0)
  return (own + Math.max(0, ...sizes.map(({ shared }) => shared))) * pageBytes
}

type Size = { resident: number; shared: number }

function sizesOf(pid: number): Size[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').match(/\d+/g)
    const [, resident, shared] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ').map(Number)
    return [
      { resident: resident!, shared: shared! },
      ...(children ?? []).map(Number).flatMap(sizesOf),
    ]
  } catch {
    return []
  }
}
