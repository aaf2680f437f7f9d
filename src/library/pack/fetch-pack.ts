import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { version } from '../../../package.json'
import { OgError } from '../../platform/error.ts'
import { explainDiskError } from '../../platform/file/space.ts'
import { NetworkError, printableUrl } from '../../platform/web/http.ts'
import { openWeb, type HttpResponse, type Web } from '../../platform/web/web.ts'
import { openArchiveFile, type ArchiveBytes } from '../../platform/archive/archive-bytes.ts'
import { memberOffsets, packLimits, packError, type PackMember } from './pack-format.ts'
import { memberContent, readPackHead, type Pack, type PackHead } from './read-pack.ts'

type RemotePack = {
  head: PackHead
  /**
   * Fetches the members that are missing on this machine. `memberHere` returns the content of a
   * member that need not be fetched. If the connection breaks, the received bytes stay in `folder`,
   * and the next call continues after them.
   */
  fetch(request: FetchRequest): Promise<FetchedPack>
}

type FetchRequest = {
  /** A folder only for this store and library version. The caller holds the version's lock. */
  folder: string
  memberHere: (member: PackMember) => Buffer | null
  onProgress?: (share: number) => void
  signal?: AbortSignal | undefined
}

export type FetchedPack = Pack & Disposable & { fetchedBytes: number; forget(): void }

type Opening = {
  signal?: AbortSignal | undefined
  /** Hash of the manifest, if a trusted registry lists it. */
  sha256?: string | undefined
  web?: Web
}

/**
 * Opens a web client for packs. The client may contact any address because a person, or a person's
 * registry, has named it.
 */
export function openPackWeb(): Web {
  return openWeb({ userAgent: `og/${version}` })
}

/** Size of the first request, enough for the whole manifest of most packs. */
const firstBytes = 32_768
/** Ranges separated by fewer bytes are fetched in one request. */
const gapBytes = 4_096
const bodyMs = 3_600_000

export async function openRemotePack(place: string, opening: Opening): Promise<RemotePack> {
  const web = opening.web ?? openPackWeb()
  const what = `"${printableUrl(place)}"`
  await web.trust(place)
  const asking = { url: place, web, what, signal: opening.signal, etag: '' }
  const first = await readRange(asking, { from: 0, to: firstBytes })
  asking.etag = first.etag
  const size = headSize(first.bytes)
  const bytes =
    size <= first.bytes.length || first.bytes.length < firstBytes
      ? first.bytes
      : await withRest(asking, { first: first.bytes, size })
  const head = readPackHead(bytesOf(bytes), what)
  if (opening.sha256 !== undefined && head.sha256 !== opening.sha256) {
    throw packError(what, 'the registry lists a different pack')
  }
  return { head, fetch: (request) => fetchMembers(asking, { head, beginning: bytes }, request) }
}

type Asking = { web: Web; url: string; what: string; signal: AbortSignal | undefined; etag: string }

/** Returns the end of the first member according to its unchecked header. */
function headSize(bytes: Buffer): number {
  const size = parseInt(bytes.toString('latin1', 124, 136), 8)
  return Math.min(512 + packLimits.manifest, 512 + (Number.isFinite(size) ? size : 0))
}

function bytesOf(all: Buffer): ArchiveBytes {
  return { length: all.length, read: (at, length) => all.subarray(at, at + length) }
}

type Range = { from: number; to: number }

async function readRange(asking: Asking, range: Range): Promise<{ bytes: Buffer; etag: string }> {
  const pieces: Buffer[] = []
  const etag = await eachPiece(asking, range, (piece) => void pieces.push(Buffer.from(piece)))
  return { bytes: Buffer.concat(pieces), etag }
}

async function withRest(
  asking: Asking,
  { first, size }: { first: Buffer; size: number },
): Promise<Buffer> {
  const { bytes } = await readRange(asking, { from: first.length, to: size })
  return Buffer.concat([first, bytes])
}

type Take = (piece: Uint8Array, at: number) => void

/**
 * Fetches a range and passes on each piece once, with its position. After a broken connection,
 * continues after the last piece, as long as each attempt yields at least one piece.
 * @returns the ETag
 */
async function eachPiece(asking: Asking, range: Range, take: Take): Promise<string> {
  let { etag } = asking
  let at = range.from
  for (let isWhole = false; !isWhole && at < range.to; ) {
    const from = at
    const headers = () => ({
      'accept-encoding': 'identity',
      range: `bytes=${from}-${range.to - 1}`,
      ...(etag === '' ? {} : { 'if-range': etag }),
    })
    const { signal } = asking
    await asking.web.fetch(asking.url, { headers, signal }, async (answer) => {
      checkStatus(answer, { what: asking.what, etag })
      const tag = answer.headers.get('etag') ?? ''
      // If-Range accepts no weak ETag (RFC 9110 §13.1.5).
      if (etag === '' && tag.startsWith('"')) etag = tag
      try {
        for await (const [piece, place] of piecesInRange(answer, { from: at, to: range.to })) {
          take(piece, place)
          at = place + piece.length
        }
        isWhole = true
      } catch (error) {
        if (!(error instanceof NetworkError) || at === from) throw error
      }
    })
  }
  return etag
}

/** Yields the parts of a response that are inside a range. The response may be longer. */
async function* piecesInRange(
  answer: HttpResponse,
  { from, to }: Range,
): AsyncGenerator<[Uint8Array, number]> {
  let place = answer.status === 206 ? startOf(answer, from) : 0
  for await (const piece of answer.pieces({ sizeBytes: packLimits.all, timeoutMs: bodyMs })) {
    const [start, end] = [Math.max(place, from), Math.min(place + piece.length, to)]
    if (start < end) yield [piece.subarray(start - place, end - place), start]
    place += piece.length
    if (place >= to) return
  }
}

function checkStatus(
  { status, headers }: HttpResponse,
  { what, etag }: { what: string; etag: string },
): void {
  if (status === 206) return
  // A server without range support sends the whole file. With If-Range, the file may also be a
  // different pack.
  if (status === 200 && (etag === '' || headers.get('etag') === etag)) return
  if (status === 200) throw packError(what, 'it has changed while it was fetched', 'try again')
  throw new OgError(`Cannot fetch ${what}: server answered ${status}`)
}

function startOf({ headers }: HttpResponse, from: number): number {
  const start = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1]
  return start === undefined ? from : Number(start)
}

async function fetchMembers(
  asking: Asking,
  { head, beginning }: { head: PackHead; beginning: Buffer },
  request: FetchRequest,
): Promise<FetchedPack> {
  const { manifest, sha256, manifestBytes } = head
  const { what } = asking
  const { memberHere } = request
  const places = memberOffsets(manifest, manifestBytes)
  const at = new Map(manifest.members.map((member, i) => [member, places[i]!]))
  const path = join(request.folder, `${sha256}.ogpack`)
  const file = openPartial(path, { size: places.at(-1)!, beginning })
  using stack = new DisposableStack()
  stack.defer(() => closeSync(file))
  const bytes = stack.use(openArchiveFile(path))
  const here = (member: PackMember) => {
    try {
      return memberContent(bytes, { member, at: at.get(member)!, what })
    } catch {
      return null // It is missing or incomplete.
    }
  }
  const missing = manifest.members.filter((it) => memberHere(it) === null && here(it) === null)
  const ranges = joinRanges(
    missing.map((member) => {
      const from = at.get(member)!
      return { from, to: from + 512 + member.packed }
    }),
  )
  const total = ranges.reduce((sum, { from, to }) => sum + to - from, 0)
  let fetchedBytes = 0
  for (const range of ranges) {
    await eachPiece({ ...asking, signal: request.signal }, range, (piece, place) => {
      write(file, piece, place)
      fetchedBytes += piece.length
      request.onProgress?.(fetchedBytes / total)
    })
  }
  const resources = stack.move()
  return {
    what,
    manifest,
    sha256,
    fetchedBytes: fetchedBytes + beginning.length,
    content: (member) =>
      memberHere(member) ?? memberContent(bytes, { member, at: at.get(member)!, what }),
    forget: () => rmSync(path, { force: true }),
    [Symbol.dispose]: () => resources.dispose(),
  }
}

/**
 * Opens a sparse file for the fetched parts. A member that was not fetched reads as zeros, which do
 * not match its hash.
 */
function openPartial(
  path: string,
  { size, beginning }: { size: number; beginning: Buffer },
): number {
  mkdirSync(dirname(path), { recursive: true })
  forgetOld(dirname(path))
  closeSync(openSync(path, 'a'))
  const file = openSync(path, 'r+')
  ftruncateSync(file, size)
  write(file, beginning.subarray(0, size), 0)
  return file
}

const keptMs = 7 * 24 * 3_600_000

function forgetOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false })
    if (stats && Date.now() - stats.mtimeMs > keptMs) rmSync(join(folder, name), { force: true })
  }
}

function write(file: number, piece: Uint8Array, place: number): void {
  try {
    for (let done = 0; done < piece.length; ) {
      done += writeSync(file, piece, done, piece.length - done, place + done)
    }
  } catch (cause) {
    const refused = explainDiskError(cause, 'OG_DB_PATH')
    if (refused === null) throw cause
    throw new OgError(`Cannot keep the pack: ${refused.why}`, { hint: refused.hint, cause })
  }
}

function joinRanges(ranges: readonly Range[]): Range[] {
  const all: Range[] = []
  for (const range of ranges) {
    const last = all.at(-1)
    if (last !== undefined && range.from - last.to < gapBytes) last.to = range.to
    else all.push({ ...range })
  }
  return all
}
