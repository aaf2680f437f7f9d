import { Readable } from 'node:stream'
import { extract, type Header } from 'tar-stream'
import { decodePieces, limitBytes } from '../../platform/web/encoding.ts'
import { NetworkError } from '../../platform/web/http.ts'
import {
  type ArchiveBytes,
  checkFileCount,
  type Archive,
  type ArchiveContent,
  type ArchiveFile,
} from '../../platform/archive/archive-bytes.ts'
import { sizeLimitBytes } from '../select/select.ts'

const maxBytes = 2 ** 30

/**
 * Opens a tar archive, optionally gzipped. Reads it twice from the start: once for the names, by
 * which files are selected, and once for the selected files.
 * @throws Error whose message contains only the reason
 */
export async function openTar(bytes: ArchiveBytes): Promise<Archive> {
  const files: ArchiveFile[] = []
  for await (const entry of entries(bytes)) {
    const { name, type, size = 0 } = entry.header
    const isLink = type === 'symlink' || type === 'link'
    const refusal = isFile(type) ? null : isLink ? 'a link' : 'no file'
    if (type !== 'directory') checkFileCount(files.length + 1)
    if (type !== 'directory') files.push({ path: name, sizeBytes: size, refusal })
    entry.resume()
  }
  const inner = innerArchive(files)
  if (inner !== null) return openTar(await memoryBytes(bytes, inner))
  return { files, contents: (paths) => contents(bytes, paths) }
}

/** Gems and Hex packages have their files in an archive inside the archive. */
function innerArchive(files: readonly ArchiveFile[]): string | null {
  const names = new Set(files.map(({ path }) => path))
  if (names.has('metadata.gz') && names.has('data.tar.gz')) return 'data.tar.gz'
  return names.has('metadata.config') && names.has('contents.tar.gz') ? 'contents.tar.gz' : null
}

const maxInnerBytes = 64 * 2 ** 20

async function memoryBytes(bytes: ArchiveBytes, path: string): Promise<ArchiveBytes> {
  for await (const entry of entries(bytes)) {
    const { name, type, size = 0 } = entry.header
    if (name !== path || !isFile(type)) {
      entry.resume()
      continue
    }
    if (size > maxInnerBytes) throw new Error(`its ${path} is over ${maxInnerBytes / 2 ** 20} MB`)
    const whole = Buffer.concat(await Array.fromAsync(entry))
    return {
      length: whole.length,
      read: (at, length) => whole.subarray(Math.max(0, at), Math.max(0, at + length)),
    }
  }
  throw new Error(`its ${path} is missing`)
}

async function* contents(
  bytes: ArchiveBytes,
  paths: Pick<ReadonlySet<string>, 'has'>,
): AsyncGenerator<ArchiveContent> {
  for await (const entry of entries(bytes)) {
    const { name, type, size = 0 } = entry.header
    if (!isFile(type) || !paths.has(name) || size > sizeLimitBytes) entry.resume()
    else yield { path: name, bytes: Buffer.concat(await Array.fromAsync(entry)) }
  }
}

function isFile(type: Header['type']): boolean {
  return type === 'file' || type === 'contiguous-file'
}

type Entry = Readable & { header: Header }

async function* entries(bytes: ArchiveBytes): AsyncGenerator<Entry> {
  const isGzip = bytes.read(0, 2).equals(gzipStart)
  const plain = decodePieces(piecesOf(bytes), { encoding: isGzip ? 'gzip' : null, url: '' })
  const tar = extract()
  const refuse = () => new TooLarge(`it unpacks to over ${maxBytes / 2 ** 20} MB`)
  const source = Readable.from(limitBytes(plain, maxBytes, refuse))
  source.on('error', (error) => tar.destroy(error))
  source.pipe(tar)
  try {
    yield* tar as AsyncIterable<Entry>
  } catch (error) {
    throw new Error(reasonOf(error as Error))
  } finally {
    source.destroy()
  }
}

const gzipStart = Buffer.from([0x1f, 0x8b])

async function* piecesOf(bytes: ArchiveBytes): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.read(at, 65_536)
}

class TooLarge extends Error {}

function reasonOf(error: Error): string {
  if (error instanceof TooLarge) return error.message
  if (error instanceof NetworkError) return 'its gzip is damaged, or is cut off'
  // Errors of tar-stream have no codes.
  const isCut = error.message === 'Unexpected end of data'
  return isCut ? 'it is cut off' : 'it is not a tar archive, or is damaged'
}
