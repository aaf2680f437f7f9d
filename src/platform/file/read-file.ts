import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'

type PathKind = {
  isFile(): boolean
  isDirectory(): boolean
  isFIFO(): boolean
  isSocket(): boolean
}

/**
 * Reads the text of an untrusted file. Opening never blocks, and at most `limitMb` are read. Reads
 * a pipe only if the shell has opened it: `/dev/stdin`, `<(command)`.
 * @throws the system's error, or an Error with the reason: `it is a device, not a file`
 */
export async function readTextFile(path: string, options: { limitMb: number }): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readBytes(path, options))
}

export async function readBytes(path: string, { limitMb }: { limitMb: number }): Promise<Buffer> {
  const isOpened = /^\/(?:dev\/(?:stdin$|fd\/)|proc\/self\/fd\/)/.test(path)
  if (!isOpened) checkRegularFile(await stat(path))
  // O_NONBLOCK avoids blocking on a pipe that has just replaced the file.
  await using file = await open(path, constants.O_RDONLY | (isOpened ? 0 : constants.O_NONBLOCK))
  if (!isOpened) checkRegularFile(await file.stat())
  return await readOpenFile(file, { limitMb })
}

export async function readOpenFile(
  file: FileHandle,
  { limitMb }: { limitMb: number },
): Promise<Buffer> {
  const stats = await file.stat()
  const limitBytes = limitMb * 2 ** 20
  if (stats.isFile() && stats.size > limitBytes) throw tooLarge(stats.size, limitMb)
  const pieces: Buffer[] = []
  let sizeBytes = 0
  for (;;) {
    const piece = Buffer.allocUnsafe(stats.isFile() && stats.size < 65_536 ? 65_536 : 1 << 20)
    const { bytesRead } = await file.read(piece, 0, piece.length, null)
    if (bytesRead === 0) return Buffer.concat(pieces)
    pieces.push(piece.subarray(0, bytesRead))
    sizeBytes += bytesRead
    // A growing file or a file in /proc contains more bytes than its size says.
    if (sizeBytes > limitBytes) throw tooLarge(sizeBytes, limitMb)
  }
}

/** Returns why a path is not a regular file, such as `it is a pipe, not a file`, or null. */
export function whyNotRegularFile(stats: PathKind): string | null {
  if (stats.isFile()) return null
  const kind = stats.isDirectory()
    ? 'a folder'
    : stats.isFIFO()
      ? 'a pipe'
      : stats.isSocket()
        ? 'a socket'
        : 'a device'
  return `it is ${kind}, not a file`
}

export function checkRegularFile(stats: PathKind): void {
  const why = whyNotRegularFile(stats)
  if (why !== null) throw new Error(why)
}

function tooLarge(sizeBytes: number, limitMb: number): Error {
  return new Error(`it is ${Math.ceil(sizeBytes / 2 ** 20)} MB, limit is ${limitMb} MB`)
}
