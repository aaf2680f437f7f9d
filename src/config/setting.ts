import { isRecord, parseJsonOrUndefined } from '../platform/json.ts'
import type { UserSettings } from './user-file.ts'

/**
 * A key of config.json. The list below defines all keys, defaults and allowed values for loading,
 * `og config`, the environment and documentation.
 */
export type Setting = {
  /** The key with dots, spelled as in upstream. */
  key: string
  kind: ValueKind
  /** Null if there is no default. */
  default: SettingValue
  /**
   * The value that upstream writes into config.json on its first run. It counts as unset in that
   * file, because no user chose it, but not in the environment or a flag.
   */
  upstreamDefault?: SettingValue
  /** True for settings of upstream that og accepts but does not use. */
  unused?: true
  secret?: true
  doc: string
}

export type SettingValue = string | number | boolean | null

const whole = (min: number, max: number): ValueKind => ({ type: 'number', min, max, whole: true })

export const settings: readonly Setting[] = [
  {
    key: 'db_path',
    kind: { type: 'path' },
    default: null,
    doc:
      'Folder of the index, or `s3://BUCKET/PREFIX` for an index in object storage. If set ' +
      'in config.json, the index is in its subfolder `og`, because openground may have its ' +
      'tables in that folder. OG_DB_PATH is the folder itself.',
  },
  {
    key: 'store.endpoint',
    kind: { type: 'text' },
    default: null,
    doc:
      "Address of the object storage, if it is not Amazon's own. Default: " +
      'AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL.',
  },
  {
    key: 'store.region',
    kind: { type: 'text' },
    default: null,
    doc:
      'Region of an `s3://` store. Default: AWS_REGION, AWS_DEFAULT_REGION, the region of the ' +
      'profile, or `us-east-1`.',
  },
  {
    key: 'store.profile',
    kind: { type: 'text' },
    default: null,
    doc:
      'Profile in `~/.aws/credentials` that has the keys. Default: AWS_ACCESS_KEY_ID and ' +
      'AWS_SECRET_ACCESS_KEY, a web identity, the profile AWS_PROFILE or `default`, or the ' +
      'role of the container or machine.',
  },
  {
    key: 'store.cache_gb',
    kind: whole(0, 100_000),
    default: 20,
    doc:
      'Space in GB for local copies of library versions in object storage; og deletes the ' +
      'least recently used copies. og reads a version that is larger than this directly from ' +
      'the bucket, and every version if the value is 0.',
  },
  {
    key: 'embeddings.embedding_backend',
    kind: {
      type: 'choice',
      choices: {
        builtin: 'builtin',
        fastembed: 'builtin',
        'sentence-transformers': 'builtin',
        openai: 'openai',
        none: 'none',
      },
    },
    default: 'builtin',
    doc:
      'Where embeddings are computed: `builtin` on this machine (`fastembed` and ' +
      '`sentence-transformers` mean the same), `openai` at an OpenAI-compatible endpoint, ' +
      '`none` for full-text search only.',
  },
  {
    key: 'embeddings.engine',
    kind: { type: 'choice', choices: { auto: 'auto', native: 'native', onnx: 'onnx' } },
    default: 'auto',
    doc:
      "Engine of the built-in model: `native` is og's own encoder; `onnx` is ONNX Runtime, " +
      'with weights from `embeddings.model_dir` or the model hub; `auto` selects the encoder ' +
      'if it supports the model.',
  },
  {
    key: 'embeddings.embedding_model',
    kind: { type: 'text' },
    default: 'BAAI/bge-small-en-v1.5',
    doc:
      'Name of the embedding model. Built in are `bge-small-en-v1.5`, `bge-base-en-v1.5`, ' +
      '`snowflake-arctic-embed-s`, `snowflake-arctic-embed-xs`, `all-MiniLM-L6-v2` and ' +
      '`granite-embedding-small-english-r2`. `og model use` downloads one and sets it. ' +
      'Indexed libraries keep their model until `og reembed`.',
  },
  {
    key: 'embeddings.embedding_dimensions',
    kind: whole(1, 16_384),
    default: 384,
    doc: 'Number of dimensions of the embeddings that the model returns.',
  },
  {
    key: 'embeddings.model_dir',
    kind: { type: 'path' },
    default: null,
    doc:
      'Folder that contains the model files, or one folder `OWNER--NAME` per model. og looks ' +
      'here first, then in the cache and on the model hub.',
  },
  {
    key: 'embeddings.base_url',
    kind: { type: 'text' },
    default: null,
    doc: 'Address of an OpenAI-compatible endpoint, including `/v1`.',
  },
  {
    key: 'embeddings.api_key',
    kind: { type: 'text' },
    default: null,
    secret: true,
    doc: 'API key for the endpoint.',
  },
  {
    key: 'embeddings.batch_size',
    kind: whole(1, 2048),
    default: 32,
    upstreamDefault: 32,
    doc: 'Number of texts embedded in one call.',
  },
  {
    key: 'embeddings.parallel_requests',
    kind: whole(1, 256),
    default: 4,
    doc: 'Number of parallel requests to the endpoint.',
  },
  {
    key: 'embeddings.token_limit',
    kind: whole(1, 1_000_000_000_000),
    default: null,
    doc:
      'Maximum number of tokens that one run sends to the endpoint. The run then ends, and ' +
      'the next one continues. Unset: no limit.',
  },
  {
    key: 'embeddings.chunk_size',
    kind: whole(100, 100_000),
    default: null,
    upstreamDefault: 800,
    doc: 'Maximum length of a chunk in characters. Unset: about 1,800, split at headings.',
  },
  {
    key: 'embeddings.chunk_overlap',
    kind: whole(0, 50_000),
    default: null,
    upstreamDefault: 200,
    doc: 'Number of characters that a chunk repeats from the previous one. Unset: none.',
  },
  {
    key: 'extraction.concurrency_limit',
    kind: whole(1, 256),
    default: 8,
    upstreamDefault: 50,
    doc: 'Number of pages to fetch at the same time.',
  },
  {
    key: 'query.top_k',
    kind: whole(1, 1000),
    default: 5,
    doc: 'Number of hits that a query returns.',
  },
  {
    key: 'mcp.answer_shape',
    kind: { type: 'choice', choices: { og: 'og', openground: 'openground' } },
    default: 'og',
    doc:
      'Text of search results over MCP and in a pipe: `og` is short; `openground` repeats ' +
      'address, version and score with each hit, as openground does.',
  },
  {
    key: 'sources.auto_add_local',
    kind: { type: 'switch' },
    default: true,
    doc: 'Store the source of an added library in sources.json.',
  },
  {
    key: 'sources.file_path',
    kind: { type: 'path' },
    default: null,
    doc: 'A sources.json that og searches first.',
  },
  { key: 'table_name', kind: { type: 'text' }, default: null, unused: true, doc: 'Not used.' },
  {
    key: 'raw_data_dir',
    kind: { type: 'path' },
    default: null,
    doc:
      'Folder of raw pages in the JSON format of openground. Default: `raw_data` in the data ' +
      'folder.',
  },
]

/** Returns unknown keys in config.json: typos, or keys of a newer openground. */
export function unknownKeys(content: UserSettings): string[] {
  const keys = new Set(settings.map(({ key }) => key))
  const sections = new Set(settings.flatMap(({ key }) => key.split('.').slice(0, -1)))
  return Object.entries(content).flatMap(([key, value]) => {
    if (!sections.has(key)) return keys.has(key) ? [] : [key]
    const inside = isRecord(value) ? Object.keys(value) : []
    return inside.map((name) => `${key}.${name}`).filter((dotted) => !keys.has(dotted))
  })
}

/** The kinds of values of settings. */
export type ValueKind =
  | { type: 'text' }
  | { type: 'path' }
  | { type: 'switch' }
  | { type: 'number'; min: number; max: number; whole?: true }
  /** Maps each accepted name to its meaning. `anyCase` ignores case. */
  | { type: 'choice'; choices: Readonly<Record<string, string>>; anyCase?: true }
  /** A list, or comma-separated names. */
  | { type: 'names' }
  | { type: 'objects' }

/**
 * Parses a setting's value from a variable, JSON or YAML. Returns undefined if it is not allowed.
 */
export function parseValue(kind: ValueKind, raw: unknown): unknown {
  switch (kind.type) {
    case 'text':
      return parseText(typeof raw === 'number' ? String(raw) : raw)
    case 'path':
      return parseText(raw)
    case 'switch':
      return parseSwitch(raw)
    case 'number':
      return parseNumber(kind, raw)
    case 'choice':
      return parseChoice(kind, raw)
    case 'names':
      return parseList(raw)?.every((name) => typeof name === 'string') ? parseList(raw) : undefined
    case 'objects':
      return parseObjects(raw)
  }
}

/** Describes the allowed values, as the end of a sentence with "must be". */
export function describeAllowedValues(kind: ValueKind): string {
  switch (kind.type) {
    case 'text':
      return 'a text'
    case 'path':
      return 'a path'
    case 'switch':
      return 'true or false'
    case 'number':
      return `a ${kind.whole ? 'whole ' : ''}number from ${kind.min} to ${kind.max}`
    case 'choice':
      return `one of ${Object.keys(kind.choices).join(', ')}`
    case 'names':
      return 'names separated by commas, or a JSON array of them'
    case 'objects':
      return 'a JSON array of objects'
  }
}

function parseText(raw: unknown): string | undefined {
  return typeof raw === 'string' && !raw.includes('\0') ? raw : undefined
}

function parseSwitch(raw: unknown): boolean | undefined {
  const word = String(raw).trim().toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(word)) return true
  return ['false', '0', 'no', 'off'].includes(word) ? false : undefined
}

function parseNumber(
  { min, max, whole }: Extract<ValueKind, { type: 'number' }>,
  raw: unknown,
): number | undefined {
  const form = whole ? /^-?\d+$/ : /^-?\d+(?:\.\d+)?$/
  if (typeof raw !== 'number' && !(typeof raw === 'string' && form.test(raw.trim()))) {
    return undefined
  }
  const value = Number(raw)
  return value >= min && value <= max && (!whole || Number.isInteger(value)) ? value : undefined
}

function parseChoice(
  { choices, anyCase }: Extract<ValueKind, { type: 'choice' }>,
  raw: unknown,
): string | undefined {
  if (typeof raw !== 'string') return undefined
  const name = anyCase ? raw.trim().toLowerCase() : raw
  return Object.hasOwn(choices, name) ? choices[name] : undefined
}

function parseObjects(raw: unknown): unknown[] | undefined {
  if (typeof raw === 'string' && !raw.trim().startsWith('[')) return undefined
  const list = parseList(raw)
  return list?.every((item) => typeof item === 'object' && item !== null) ? list : undefined
}

function parseList(raw: unknown): unknown[] | undefined {
  if (Array.isArray(raw)) return raw
  if (typeof raw !== 'string') return undefined
  if (!raw.trim().startsWith('[')) {
    return raw
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
  }
  const list = parseJsonOrUndefined(raw)
  return Array.isArray(list) ? list : undefined
}
