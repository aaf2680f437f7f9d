import { dirname, resolve } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { didYouMean } from '../../platform/text/nearest.ts'
import { vectorFormats, type VectorFormat } from '../pack/packed-embeddings.ts'
import { bundledSources } from '../sources/source-list.ts'

export type PackSpec = {
  library: string
  /** The version as written: a tag, branch, range or name. Null selects `og add`'s default. */
  version: string | null
  addArguments: string[]
  vectors: VectorFormat
  /** In percent; null if it is not measured. */
  minHealth: number | null
  questions: string | null
  minHits: number
}

const addOptions: Readonly<Record<string, string>> = {
  source: '--source',
  base_url: '--base-url',
  below: '--below',
  docs_paths: '--docs-path',
  filter_keywords: '--filter-keyword',
  exclude: '--exclude',
  languages: '--language',
}
const checks = ['vectors', 'min_health', 'min_hits']
const libraryFields = [...Object.keys(addOptions), ...checks, 'versions', 'questions']
const topFields = [...checks, 'bundled', 'libraries']

/**
 * Parses a packs.yaml. `path` is absolute, and relative paths in the file start at its folder.
 * @throws OgError that names the library and the field
 */
export async function parsePackList(text: string, path: string): Promise<PackSpec[]> {
  const reading = { path, refuse: (why: string) => refused(path, why) }
  const top = fieldsOf(await parsedYaml(text, path), { ...reading, name: 'it', fields: topFields })
  const listed =
    top.libraries === undefined
      ? {}
      : fieldsOf(top.libraries, { ...reading, name: '"libraries"', fields: null })
  const libraries: Record<string, unknown> = { ...bundled(top.bundled, reading), ...listed }
  const wishes = Object.entries(libraries).flatMap(([library, value]) => {
    const name = `library "${library}"`
    // Accepts `kettle:` without a value, or with only a list of versions.
    const plain = value === '' ? {} : Array.isArray(value) ? { versions: value } : value
    const own = fieldsOf(plain, { ...reading, name, fields: libraryFields })
    return specsOf(library, { ...pick(top, checks), ...own }, { ...reading, name })
  })
  if (wishes.length > 0) return wishes
  throw refused(path, 'it names no library')
}

type PackListReading = { path: string; refuse: (why: string) => OgError }
type NamedReading = PackListReading & { name: string }

/** Keeps all values as written because 1.10 must not become a number. */
async function parsedYaml(text: string, path: string): Promise<unknown> {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: true })
  const [error] = document.errors
  if (error !== undefined) throw refused(path, error.message.split('\n')[0]!.replace(/:$/, ''))
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw refused(path, (error as Error).message)
  }
}

function refused(path: string, why: string): OgError {
  return new OgError(`Cannot read "${path}": ${why}`, {
    hint: '"og ci build --help" describes its format',
  })
}

function fieldsOf(
  value: unknown,
  { name, fields, refuse }: NamedReading & { fields: readonly string[] | null },
): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse(`${name} is not a mapping of names to values`)
  }
  const odd = fields === null ? undefined : Object.keys(value).find((key) => !fields.includes(key))
  if (odd === undefined) return value as Record<string, unknown>
  const suggestion = didYouMean(odd, fields!)
  throw refuse(
    `${name} has "${odd}"${suggestion === '' ? '' : `: ${suggestion}`}; known are ` +
      fields!.join(', '),
  )
}

function bundled(value: unknown, { refuse }: PackListReading): Record<string, string> {
  if (value === undefined || value === 'false') return {}
  if (value !== 'true') throw refuse('"bundled" is true or false')
  return Object.fromEntries([...bundledSources().keys()].map((library) => [library, '']))
}

function pick(fields: Record<string, unknown>, names: readonly string[]) {
  return Object.fromEntries(names.flatMap((it) => (it in fields ? [[it, fields[it]]] : [])))
}

function specsOf(
  library: string,
  fields: Record<string, unknown>,
  reading: NamedReading,
): PackSpec[] {
  const { name, path, refuse } = reading
  if (library.startsWith('-')) throw refuse(`${name} looks like an option`)
  const addArguments = Object.entries(addOptions).flatMap(([field, option]) =>
    texts(fields[field], field, reading).map((value) => `${option}=${value}`),
  )
  const versions = texts(fields.versions, 'versions', reading)
  const [vectors = 'f16'] = texts(fields.vectors, 'vectors', reading)
  const kind = vectorFormats.find((it) => it === vectors)
  if (kind === undefined)
    throw refuse(`"vectors" of ${name} is not one of ${vectorFormats.join(', ')}`)
  const [questions] = texts(fields.questions, 'questions', reading)
  const spec = {
    library,
    addArguments,
    vectors: kind,
    minHealth: percent(fields.min_health, 'min_health', reading),
    questions: questions === undefined ? null : resolve(dirname(path), questions),
    minHits: percent(fields.min_hits, 'min_hits', reading) ?? usualHits,
  }
  return (versions.length === 0 ? [null] : versions).map((version) => ({ ...spec, version }))
}

const usualHits = 80

function texts(value: unknown, field: string, { name, refuse }: NamedReading): string[] {
  if (value === undefined) return []
  const all = Array.isArray(value) ? value : [value]
  if (all.every((it) => typeof it === 'string' && it !== '' && !/[\u0000-\u001f\u007f]/.test(it))) {
    return all
  }
  throw refuse(`"${field}" of ${name} is neither a string nor a list of strings`)
}

function percent(value: unknown, field: string, reading: NamedReading): number | null {
  const [text] = texts(value, field, reading)
  if (text === undefined) return null
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text)
  throw reading.refuse(`"${field}" of ${reading.name} is not a whole number from 0 to 100`)
}
