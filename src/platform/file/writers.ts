import { closeSync, constants, openSync, readFileSync, type Stats, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasWriter } from './exchange.ts'

/** If a program keeps the file open for writing longer than this, the edit fails. */
const writerLimitMs = 1000

/**
 * Returns the bytes of a file whose name another file has taken, after no program writes to it any
 * more, or after a time limit. If the system cannot tell, waits until the file has stayed the same
 * for a while.
 */
export async function readFinalBytes(
  path: string,
  sees: boolean,
): Promise<{ bytes: Buffer; isHeld: boolean }> {
  if (sees) {
    const fd = openSync(path, constants.O_RDONLY)
    try {
      return { isHeld: !(await waitForWriters(fd)), bytes: readFileSync(path) }
    } finally {
      closeSync(fd)
    }
  }
  const latest = performance.now() + writerLimitMs
  let bytes = readFileSync(path)
  for (let unchanged = 0; unchanged < quietPolls && performance.now() < latest; ) {
    await Bun.sleep(5)
    const now = readFileSync(path)
    unchanged = now.equals(bytes) ? unchanged + 1 : 0
    bytes = now
  }
  return { bytes, isHeld: false }
}

/**
 * A program that opens a file usually writes and closes it within a millisecond. Polls are counted
 * instead of milliseconds, because this process may be paused between two of them.
 */
const quietPolls = 6

export async function waitForWriters(fd: number): Promise<boolean> {
  const latest = performance.now() + writerLimitMs
  for (;;) {
    if (hasWriter(fd) !== true) return true
    if (performance.now() >= latest) return false
    await Bun.sleep(1)
  }
}

export function hasNoWriter(path: string): boolean {
  const fd = openSync(path, constants.O_RDONLY)
  try {
    return hasWriter(fd) === false
  } finally {
    closeSync(fd)
  }
}

/** File systems whose leases detect every writer: ext, XFS, Btrfs, tmpfs, overlayfs, F2FS, ZFS. */
const local = [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1]

/** Whether `hasWriter` is reliable: this user must own the file, and it must be on a local disk. */
export function canSeeWriters(path: string, { uid }: Stats): boolean {
  if (process.platform !== 'linux' || uid !== process.geteuid?.()) return false
  return local.includes(statfsSync(dirname(path)).type >>> 0)
}
