import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'

/** What a path means that is no regular file; a word for a sentence. */
type PathKind = {
  isFile(): boolean
  isDirectory(): boolean
  isFIFO(): boolean
  isSocket(): boolean
}

/**
 * The text of a file that somebody else may have put there, or misnamed. It is never waited for,
 * and no more of it is read than `limitMb`. A pipe is read where the shell has opened it:
 * `/dev/stdin`, `<(command)`.
 * @throws what the system refuses, or an Error that says what is wrong with it: `it is a device`
 */
export async function readTextFile(path: string, options: { limitMb: number }): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readBytes(path, options))
}

/** The bytes of a file that somebody else may have put there, read as `readTextFile` does. */
export async function readBytes(path: string, { limitMb }: { limitMb: number }): Promise<Buffer> {
  const isOpened = /^\/(?:dev\/(?:stdin$|fd\/)|proc\/self\/fd\/)/.test(path)
  if (!isOpened) refuseOther(await stat(path))
  // A pipe that took the file's place meanwhile would be waited for.
  await using file = await open(path, constants.O_RDONLY | (isOpened ? 0 : constants.O_NONBLOCK))
  const stats = await file.stat()
  if (!isOpened) refuseOther(stats)
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
    // A file in /proc, or one that grows, holds more than its size says.
    if (sizeBytes > limitBytes) throw tooLarge(sizeBytes, limitMb)
  }
}

/** `it is a pipe, not a file`; null of a regular file. */
export function whyNoFile(stats: PathKind): string | null {
  if (stats.isFile()) return null
  const kind = stats.isDirectory() ? 'a folder'
    : stats.isFIFO() ? 'a pipe'
      : stats.isSocket() ? 'a socket' : 'a device'
  return `it is ${kind}, not a file`
}

function refuseOther(stats: PathKind): void {
  const why = whyNoFile(stats)
  if (why !== null) throw new Error(why)
}

function tooLarge(sizeBytes: number, limitMb: number): Error {
  return new Error(`it is ${Math.ceil(sizeBytes / 2 ** 20)} MB, limit is ${limitMb} MB`)
}
