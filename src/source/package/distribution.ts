import { realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path/posix'
import { OgError } from '../../platform/error.ts'
import { readTextFile } from '../../platform/file/read-file.ts'
import { trimEndCharacters } from '../../platform/text/trim.ts'
import type { Source } from '../../store/source.ts'
import { apiEvents, folderTree } from '../api/api-events.ts'
import { fileValidator } from '../file-validator.ts'
import { licenseEvents, readFolderLicense } from '../license-file.ts'
import { encodePath, folderAddress } from '../page-address.ts'
import { addValidator, pageEvent } from '../page-event.ts'
import type { KnownPages, SourceEvent } from '../source.ts'

/**
 * Yields the pages of a distribution in a Python environment, whose folder it shares with others:
 * the description in its metadata, and the API reference of the files that its RECORD lists.
 */
export async function* distributionPages(
  source: Extract<Source, { kind: 'local_path' }>,
  path: string,
  { before, signal }: { before: KnownPages; signal: AbortSignal | undefined },
): AsyncGenerator<SourceEvent> {
  const real = source.path
  const addressOf = (file: string) =>
    `${trimEndCharacters(source.baseUrl ?? folderAddress(real), '/')}/${encodePath(file)}`
  const stats = await stat(join(real, path), { bigint: true }).catch(() => null)
  const bytes = await folderTree([path], { real: await realpath(real), addressOf }).read(path)
  if (stats === null || bytes === null) {
    throw new OgError(`Cannot find ${path} in ${JSON.stringify(real)}`, {
      hint: 'another version is installed now: og init --installed',
    })
  }
  const metadataFolder = join(real, dirname(path))
  const license =
    (await readFolderLicense(metadataFolder)) ??
    (await readFolderLicense(`${metadataFolder}/licenses`))
  yield* licenseEvents(license, before)
  const description = descriptionOf(bytes)
  const validator = fileValidator(stats, bytes)
  const url = addressOf(path)
  if (source.api !== 'only' && description !== null) {
    if (before.get(url) === validator) yield { type: 'unchanged', url }
    else {
      const { name, extension, text } = description
      const file = { bytes: Buffer.from(text), path: `${name}/README${extension}`, url }
      yield addValidator(await pageEvent(file, { signal }), validator)
    }
  }
  const record = await readTextFile(join(real, dirname(path), 'RECORD'), { limitMb: 32 }).catch(
    (cause) => {
      throw new OgError(`Cannot read the list of files of ${source.package}`, { cause })
    },
  )
  yield* apiEvents(folderTree(recordedPaths(record), { real, addressOf }), {
    source,
    before,
    signal,
  })
}

function recordedPaths(record: string): string[] {
  return record.split(/\r?\n/).flatMap((line) => {
    const quoted = /^"((?:[^"]|"")*)"/.exec(line)?.[1]?.replaceAll('""', '"')
    const path = quoted ?? line.split(',', 1)[0]!
    const isBelow = path !== '' && !/^(?:[/\\]|[a-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/i.test(path)
    return isBelow ? [path] : []
  })
}

const extensions: Record<string, string> = {
  'text/markdown': '.md',
  'text/x-rst': '.rst',
  'text/plain': '.txt',
}

type Description = { name: string; extension: string; text: string }

function descriptionOf(bytes: Uint8Array): Description | null {
  const metadata = new TextDecoder().decode(bytes).replaceAll('\r\n', '\n')
  const end = metadata.indexOf('\n\n')
  const text = end < 0 ? '' : metadata.slice(end).trim()
  if (text === '' || text === 'UNKNOWN') return null
  const header = (name: string) =>
    new RegExp(`^${name}:[ \\t]*([\\w./-]+)`, 'im').exec(metadata.slice(0, end))?.[1]
  const type = header('Description-Content-Type')?.toLowerCase() ?? ''
  const extension = extensions[type] ?? '.rst'
  return { name: header('Name') ?? 'package', extension, text: `${text}\n` }
}
