import { parsePage } from '../page/parse.ts'
import { messageOf } from '../platform/error.ts'
import type { SourceEvent } from './source.ts'

/** The page of a file; a pointer of Git LFS, and what is not text, is skipped with its reason. */
export async function pageEvent(file: {
  bytes: Uint8Array
  path: string
  url: string
}): Promise<SourceEvent> {
  const { bytes, path, url } = file
  if (isLfsPointer(bytes)) {
    return { type: 'skipped', path, reason: 'Git LFS pointer, the file itself is not here' }
  }
  try {
    return { type: 'page', page: await parsePage(file) }
  } catch (error) {
    const reason = messageOf(error).replace(`Cannot read page "${path}": `, '')
    if (/^(binary, )?not (UTF-\S+ )?text$/.test(reason)) return { type: 'skipped', path, reason }
    return { type: 'failed', url, reason }
  }
}

/** A page with its source's note of the state that was read. */
export function withValidator(event: SourceEvent, validator: string): SourceEvent {
  return event.type === 'page' ? { ...event, validator } : event
}

const lfsPointer = Buffer.from('version https://git-lfs.github.com/spec/v1\n')

function isLfsPointer(bytes: Uint8Array): boolean {
  return bytes.length < 1024 && lfsPointer.equals(bytes.subarray(0, lfsPointer.length))
}
