import { readFileSync } from 'node:fs'

const pageBytes = 4096

/**
 * Returns the bytes of memory that a process and its children use now. Memory shared with files
 * (mostly the executable) counts once, by its largest share. A process that has ended counts as 0.
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
