import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf, OgError } from '../error.ts'
import { sha256OfFile } from '../hash.ts'
import {
  bodyPieces,
  fetchWithRetry,
  NetworkError,
  printableUrl,
  type RetryOptions,
} from './http.ts'
import { lockExclusive } from '../lock.ts'

export type DownloadOptions = {
  sha256: string
  sizeBytes: number
  onProgress?: (doneBytes: number, totalBytes: number) => void
  signal?: AbortSignal
  hint?: string
  http?: RetryOptions
}

/**
 * Downloads a file with a known hash to `path`. The file appears complete or not at all. An
 * interrupted download stays in `path` + `.partial`, and the next attempt resumes it. If two
 * programs need the same file, one downloads it and the other waits.
 * @throws OgError if the server refuses, the hash is wrong (nothing is left then) or the disk is
 * full; NetworkError
 */
export async function download(url: string, path: string, options: DownloadOptions): Promise<void> {
  ensureWritableFolder(dirname(path))
  const lock = { what: `download "${path}"`, timeoutMs: 3_600_000, signal: options.signal }
  using _lock = await lockExclusive(join(dirname(path), '.download.lock'), lock)
  if (existsSync(path)) return
  const partial = readPartial(path)
  const wasResumed = partial.sizeBytes > 0
  const sha256 = await downloadPartial(url, partial, options)
  if (sha256 === options.sha256) return await publish(partial, path)
  discard(partial)
  // The parts may come from different files, so download again without interruption.
  if (wasResumed && (await downloadPartial(url, partial, options)) === options.sha256) {
    return await publish(partial, path)
  }
  discard(partial)
  throw new OgError(
    `Cannot accept "${printableUrl(url)}": sha256 is ${sha256}, expected ${options.sha256}`,
    { hint: options.hint },
  )
}

type Partial = { path: string; validatorPath: string; sizeBytes: number; validator: string }

function readPartial(path: string): Partial {
  const partialPath = `${path}.partial`
  const validatorPath = `${path}.partial.etag`
  const sizeBytes = statSync(partialPath, { throwIfNoEntry: false })?.size ?? 0
  const validator = existsSync(validatorPath) ? readFileSync(validatorPath, 'utf8') : ''
  return { path: partialPath, validatorPath, sizeBytes, validator }
}

async function downloadPartial(
  url: string,
  partial: Partial,
  options: DownloadOptions,
): Promise<string> {
  if (partial.sizeBytes > options.sizeBytes) discard(partial)
  let furthest = -1
  while (partial.sizeBytes < options.sizeBytes && furthest < partial.sizeBytes) {
    furthest = partial.sizeBytes
    try {
      const headers = () => rangeHeaders(partial)
      const { http, signal } = options
      await fetchWithRetry(url, { ...http, signal, headers }, (response) =>
        appendBody(response, partial, { ...options, url }),
      )
      break
    } catch (error) {
      // Progress resets the number of attempts.
      const isWorthwhile = error instanceof NetworkError && error.isTransient
      if (!isWorthwhile || partial.sizeBytes <= furthest) throw error
    }
  }
  return sha256OfFile(partial.path)
}

function rangeHeaders(partial: Partial): Record<string, string> {
  // A compressed body would be decompressed during the download, and the offsets would not match.
  const headers: Record<string, string> = { 'accept-encoding': 'identity' }
  if (partial.sizeBytes > 0) {
    headers.range = `bytes=${partial.sizeBytes}-`
    if (partial.validator !== '') headers['if-range'] = partial.validator
  }
  return headers
}

async function appendBody(
  response: Response,
  partial: Partial,
  options: DownloadOptions & { url: string },
): Promise<void> {
  const { url, sizeBytes, signal, http, onProgress } = options
  if (response.status === 416) {
    discard(partial)
    throw new NetworkError(`Cannot resume "${printableUrl(url)}": range refused`, {
      isTransient: true,
    })
  }
  if (!response.ok) throw refusal(response, options)
  if (!continues(response, partial)) {
    if (partial.sizeBytes > 0) refuseOtherFile(response, options)
    discard(partial)
  }
  keepValidator(response, partial)
  await using file = await openPartial(partial)
  for await (const piece of bodyPieces(response, { url, signal, timeoutMs: http?.timeoutMs })) {
    await writePiece(file, partial, piece)
    if (partial.sizeBytes > sizeBytes) {
      discard(partial)
      throw new OgError(
        `Cannot accept "${printableUrl(url)}": it is longer than ${sizeBytes} bytes`,
      )
    }
    onProgress?.(partial.sizeBytes, sizeBytes)
  }
  await file.sync()
}

function refusal(response: Response, options: { url: string; hint?: string }): OgError {
  const status = `${response.status} ${response.statusText}`.trim()
  return new OgError(`Cannot download "${printableUrl(options.url)}": server answered ${status}`, {
    hint: options.hint,
  })
}

/** Rejects a web page, such as a network's login page, and a file of unexpected size. */
function refuseOtherFile(
  { headers }: Response,
  { url, sizeBytes, hint }: Pick<DownloadOptions, 'sizeBytes' | 'hint'> & { url: string },
): void {
  const refused = (why: string) =>
    new OgError(`Cannot accept "${printableUrl(url)}": the server sent ${why}`, { hint })
  if (/^text\/html\b/i.test(headers.get('content-type') ?? '')) throw refused('a web page')
  const length = headers.has('content-encoding') ? null : headers.get('content-length')
  if (length !== null && Number(length) !== sizeBytes) {
    throw refused(`${length} bytes, expected ${sizeBytes}`)
  }
}

/** True if the body continues the partial file. Some servers always send the whole file. */
function continues(response: Response, partial: Partial): boolean {
  const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1]
  return response.status === 206 && Number(start) === partial.sizeBytes
}

function keepValidator(response: Response, partial: Partial): void {
  const etag = response.headers.get('etag') ?? ''
  // If-Range accepts no weak ETag (RFC 9110 §13.1.5). Without a validator, the final hash decides.
  const isStrong = etag.startsWith('"')
  partial.validator = isStrong ? etag : (response.headers.get('last-modified') ?? '')
  writeFileSync(partial.validatorPath, partial.validator)
}

async function openPartial(partial: Partial): Promise<FileHandle> {
  return open(partial.path, partial.sizeBytes > 0 ? 'r+' : 'w')
}

async function writePiece(file: FileHandle, partial: Partial, piece: Uint8Array): Promise<void> {
  try {
    let nWritten = 0
    while (nWritten < piece.length) {
      const position = partial.sizeBytes + nWritten
      const length = piece.length - nWritten
      nWritten += (await file.write(piece, nWritten, length, position)).bytesWritten
    }
    partial.sizeBytes += piece.length
  } catch (cause) {
    throw new OgError(`Cannot write "${partial.path}": ${messageOf(cause)}`, { cause })
  }
}

async function publish(partial: Partial, path: string): Promise<void> {
  await rename(partial.path, path)
  rmSync(partial.validatorPath, { force: true })
}

function discard(partial: Partial): void {
  rmSync(partial.path, { force: true })
  rmSync(partial.validatorPath, { force: true })
  partial.sizeBytes = 0
  partial.validator = ''
}

function ensureWritableFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
    accessSync(path, constants.W_OK)
  } catch (cause) {
    throw new OgError(`Cannot write to folder "${path}": ${messageOf(cause)}`, { cause })
  }
}
