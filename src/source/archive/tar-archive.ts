import { posix } from 'node:path'
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
import { isReadable, sizeLimitBytes } from '../select/select.ts'

const maxBytes = 2 ** 30

/**
 * Opens a tar archive, optionally gzipped. Reads it twice from the start: once for the names, by
 * which files are selected, and once for the selected files. A symbolic link with a page's name is
 * read as the file to which it points.
 * @throws Error whose message contains only the reason
 */
export async function openTar(bytes: ArchiveBytes): Promise<Archive> {
  const files: ArchiveFile[] = []
  const links = new Map<string, string>()
  for await (const entry of entries(bytes)) {
    const { name, type, size = 0, linkname } = entry.header
    const isLink = type === 'symlink' || type === 'link'
    const refusal = isFile(type) ? null : isLink ? 'a link' : 'no file'
    if (type !== 'directory') checkFileCount(files.length + 1)
    if (type !== 'directory') files.push({ path: name, sizeBytes: size, refusal })
    if (type === 'symlink' && linkname && isReadable(name)) links.set(name, linkname)
    entry.resume()
  }
  const inner = innerArchive(files)
  if (inner !== null) return openTar(await memoryBytes(bytes, inner))
  const pages = new Map(
    files.filter(({ refusal }) => refusal === null).map((it) => [posix.normalize(it.path), it]),
  )
  const linksTo = new Map<string, string[]>()
  for (const file of files) {
    const link = links.get(file.path)
    if (link === undefined || file.refusal === null || link.startsWith('/')) continue
    const target = pages.get(posix.join(posix.dirname(file.path), link))
    if (target === undefined) continue
    Object.assign(file, { sizeBytes: target.sizeBytes, refusal: null })
    linksTo.set(target.path, [...(linksTo.get(target.path) ?? []), file.path])
  }
  return { files, contents: (paths) => contents(bytes, { paths, linksTo }) }
}

/** Finds the archive inside a gem or Hex package that contains its files. */
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

type Wanted = {
  paths: Pick<ReadonlySet<string>, 'has'>
  /** The links to each file, if any. */
  linksTo: ReadonlyMap<string, readonly string[]>
}

async function* contents(
  source: ArchiveBytes,
  { paths, linksTo }: Wanted,
): AsyncGenerator<ArchiveContent> {
  for await (const entry of entries(source)) {
    const { name, type, size = 0 } = entry.header
    const wanted = [name, ...(linksTo.get(name) ?? [])].filter((path) => paths.has(path))
    if (!isFile(type) || wanted.length === 0 || size > sizeLimitBytes) {
      entry.resume()
      continue
    }
    const bytes = Buffer.concat(await Array.fromAsync(entry))
    for (const path of wanted) yield { path, bytes }
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
  // tar-stream's errors have no codes.
  const isCut = error.message === 'Unexpected end of data'
  return isCut ? 'it is cut off' : 'it is not a tar archive, or is damaged'
}
