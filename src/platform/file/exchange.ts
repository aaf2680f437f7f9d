import { dlopen } from 'bun:ffi'
import {
  linkSync,
  renameSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  type Stats,
  statfsSync,
} from 'node:fs'
import { glibcVersion } from '../system.ts'
import { dirname } from 'node:path'

/**
 * Exchanges the names of two files in the same folder. Linux and macOS do this in one step.
 * Elsewhere, on file systems without this call, and without FFI, a hard link first keeps the old
 * file, and then a rename replaces `target`. If another process renames a file to `target` in
 * between, that file is lost. Without hard links, `target` is missing briefly between two renames.
 */
export function exchangeFiles(path: string, target: string): void {
  if (system()?.exchange(path, target) === true) return
  const saved = keptName(path)
  try {
    linkSync(target, saved)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
    renameSync(target, saved)
  }
  renameSync(path, target)
  renameSync(saved, path)
}

function keptName(path: string): string {
  return `${path}~`
}

/**
 * True if any process has the file open for writing; null if the system cannot tell. `fd` is open
 * for reading only. Linux grants the file's owner a read lease (fcntl(2), F_SETLEASE) only if no
 * process has the file open for writing.
 */
export function hasWriter(fd: number): boolean | null {
  return system()?.hasWriter(fd) ?? null
}

type System = {
  exchange(path: string, target: string): boolean
  hasWriter(fd: number): boolean | null
}

let systemCalls: System | null | undefined

/** Null on Windows, and without FFI, because Bun's FFI needs the JIT compiler. */
function system(): System | null {
  if (systemCalls === undefined) systemCalls = openSystem()
  return systemCalls
}

function openSystem(): System | null {
  try {
    if (process.platform === 'linux') return openLinux()
    return process.platform === 'darwin' ? openDarwin() : null
  } catch {
    return null
  }
}

const currentFolder = -100
const renameExchange = 2
const renameat2: Partial<Record<NodeJS.Architecture, bigint>> = { x64: 316n, arm64: 276n }

const [setLease, setSignal] = [1024, 10]
const [readLease, noLease] = [0, 2]
/** The signal that a lease holder gets when another process wants to write. */
const sigurg = 23

function openLinux(): System {
  const arch = process.arch === 'arm64' ? 'aarch64' : 'x86_64'
  // Called by number because musl has no renameat2 function.
  const { symbols } = dlopen(glibcVersion() === null ? `libc.musl-${arch}.so.1` : 'libc.so.6', {
    syscall: { args: ['i64', 'i32', 'buffer', 'i32', 'buffer', 'u32'], returns: 'i64' },
    fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  })
  const { syscall, fcntl } = symbols
  const call = renameat2[process.arch]
  return {
    exchange: (path, target) =>
      call !== undefined &&
      Number(
        syscall(call, currentFolder, cString(path), currentFolder, cString(target), renameExchange),
      ) === 0,
    hasWriter(fd) {
      fcntl(fd, setSignal, sigurg)
      if (fcntl(fd, setLease, readLease) !== 0) return true
      fcntl(fd, setLease, noLease)
      return false
    },
  }
}

const renameSwap = 2

function openDarwin(): System {
  const { symbols } = dlopen('libSystem.B.dylib', {
    renamex_np: { args: ['buffer', 'buffer', 'u32'], returns: 'i32' },
  })
  return {
    exchange: (path, target) =>
      symbols.renamex_np(cString(path), cString(target), renameSwap) === 0,
    hasWriter: () => null,
  }
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`)
}

/** The edit fails if a program keeps the file open for writing longer than this. */
const writerLimitMs = 1000

/**
 * Returns the bytes of a file that has lost its name, once no process writes to it any more or a
 * time limit has passed. If the system cannot tell, waits until the file stays unchanged for a
 * while.
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
 * A program usually writes and closes a file within a millisecond. This counts polls instead of
 * milliseconds because this process may be paused between two polls.
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

/** True if `hasWriter` is reliable: this user owns the file, and the disk is local. */
export function canSeeWriters(path: string, { uid }: Stats): boolean {
  if (process.platform !== 'linux' || uid !== process.geteuid?.()) return false
  return local.includes(statfsSync(dirname(path)).type >>> 0)
}
