import { hasOnlyHeadings } from '../page/leftover.ts'
import type { Page } from '../page/page.ts'
import type { FindTitles } from '../document/reference-key.ts'
import { OgError, reasonOf } from '../platform/error.ts'
import { parseFile } from './page-parser.ts'
import type { SourceEvent } from './source.ts'
import type { IncludedFiles } from '../references/include.ts'
import type { PageSite } from '../formats/parsed-text.ts'

/**
 * Returns the event for a file: its page, with the paths of the files that it includes or tries to
 * include. Skips Git LFS pointers and files that are not text, with a reason.
 */
export async function pageEvent(
  file: { bytes: Uint8Array; path: string; url: string; site?: PageSite | undefined },
  options: { included?: IncludedFiles; signal?: AbortSignal | undefined } = {},
): Promise<SourceEvent> {
  const { bytes, path, url } = file
  if (isLfsPointer(bytes)) {
    return { type: 'skipped', path, reason: 'Git LFS pointer, the file itself is not here' }
  }
  try {
    const recorder = options.included && recordPaths(options.included)
    const pages = await parseFile(file, { included: recorder?.files, signal: options.signal })
    const [page, ...parts] = pages as [Page, ...Page[]]
    if (parts.length === 0 && isBlank(page, file.site)) {
      return { type: 'skipped', path, reason: 'no text of its own' }
    }
    const includes = [...(recorder?.paths ?? [])]
    return {
      type: 'page',
      page,
      ...(parts.length > 0 ? { parts } : {}),
      ...(includes.length > 0 ? { includes } : {}),
    }
  } catch (error) {
    const reason = reasonOf(error)
    const isText = !(error instanceof OgError && error.code === 'not-text')
    if (!isText) return { type: 'skipped', path, reason }
    return { type: 'failed', url, reason }
  }
}

/**
 * True if a page has no letters. A page of a known site may have headings, because the layout of a
 * section lists its pages below them.
 */
function isBlank({ text, toctree = '' }: Page, site: PageSite | undefined): boolean {
  return toctree === '' && (site ? hasOnlyHeadings(text) : !/[\p{L}\p{N}]/u.test(text))
}

/** Adds a validator for the read state to a page event. Leaves other events unchanged. */
export function addValidator(event: SourceEvent, validator: string): SourceEvent {
  return event.type === 'page' ? { ...event, validator } : event
}

function recordPaths({ from, read, titles }: IncludedFiles) {
  const paths = new Set<string>()
  // Record missing files too, because the page changes when they appear.
  const readAndRecord = (path: string) => {
    paths.add(path)
    return read(path)
  }
  const findAndRecord: FindTitles = async (queries) => {
    const targets = await titles!(queries)
    // The page changes with the titles of its targets.
    for (const target of targets)
      if (target !== null && target.path !== from) paths.add(target.path)
    return targets
  }
  const files = { from, read: readAndRecord, titles: titles && findAndRecord }
  return { paths, files }
}

const lfsPointer = Buffer.from('version https://git-lfs.github.com/spec/v1\n')

function isLfsPointer(bytes: Uint8Array): boolean {
  return bytes.length < 1024 && lfsPointer.equals(bytes.subarray(0, lfsPointer.length))
}
