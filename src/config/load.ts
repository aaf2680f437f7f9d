import { join } from 'node:path'
import { isRecord } from '../platform/json.ts'
import { OgError } from '../platform/error.ts'
import { parseReach } from '../platform/reach.ts'
import { trace } from '../platform/trace.ts'
import type { Config } from './config.ts'
import { userPaths, type UserPaths, type Environment } from './paths.ts'
import {
  settings,
  type Setting,
  type SettingValue,
  describeAllowedValues,
  parseValue,
} from './setting.ts'
import { isRemoteStore } from '../store/remote/address.ts'
import { readUserFile, type UserFile } from './user-file.ts'

export type Overrides = Readonly<Record<string, SettingValue>>

/** A setting, its value and its origin: `default`, a path, a variable or `flag`. */
export type EffectiveSetting = { setting: Setting; value: SettingValue; origin: string }

/** All settings in the order of the schema. Invalid values are listed as problems. */
type LoadedSettings = {
  file: UserFile
  effective: EffectiveSetting[]
  problems: OgError[]
  config: Omit<Config, 'reach'>
}

/**
 * Loads the settings: defaults < config.json < environment < flags. Reads only config.json and
 * creates no file.
 * @throws OgError with the key, the value, its origin and the allowed values
 */
export async function loadConfig(env: Environment, overrides: Overrides = {}): Promise<Config> {
  const loaded = await loadSettings(env, overrides)
  const [problem] = loaded.problems
  if (problem) throw problem
  trace('load config', { path: loaded.file.path })
  return { ...loaded.config, reach: env.OG_REACH ? parseReach(env.OG_REACH) : null }
}

/** Loads the settings with their problems, because `og config` must work with an invalid file. */
export async function loadSettings(
  env: Environment,
  overrides: Overrides = {},
): Promise<LoadedSettings> {
  const paths = userPaths(env)
  const file = await readUserFile(paths)
  const problems = file.problem ? [file.problem] : [...brokenSections(file)]
  for (const name of unknownVariables(env)) {
    problems.push(
      new OgError(`Cannot use ${name}: there is no such setting`, {
        hint: 'docs/reference/settings.md lists the variables, "og config show" the keys',
      }),
    )
  }
  const effective = settings.map((setting) => {
    const values = candidates(setting, { file, env, overrides, paths }).map(parseCandidate)
    problems.push(...values.flatMap((entry) => (entry.problem ? [entry.problem] : [])))
    const last = values.filter((entry) => !entry.problem).at(-1)
    return { setting, value: last?.value ?? setting.default, origin: last?.origin ?? 'default' }
  })
  const checked = withoutOverlap({ effective, problems })
  return { file, ...checked, config: toConfig(checked.effective, env, paths) }
}

type Candidate = { setting: Setting; raw: unknown; origin: string }

type Origins = { file: UserFile; env: Environment; overrides: Overrides; paths: UserPaths }

function candidates(setting: Setting, { file, env, overrides, paths }: Origins): Candidate[] {
  const { key } = setting
  const long = settingVariable(key)
  const short = shortVariables[key]
  const rawValues: [unknown, string][] = [
    [ofFile(setting, file, paths), file.path],
    [short && env[short], short ?? ''],
    [env[long], long],
    [overrides[key], 'flag'],
  ]
  return rawValues
    .filter(([raw]) => raw !== undefined && raw !== null && raw !== '')
    .map(([raw, origin]) => ({ setting, raw, origin }))
}

/**
 * Returns a setting's value in config.json. Ignores upstream's defaults, which no user has chosen.
 */
function ofFile(setting: Setting, file: UserFile, paths: UserPaths): unknown {
  const raw = valueAt(file.content, setting.key)
  if (raw === setting.upstreamDefault) return undefined
  if (setting.key !== 'db_path' || typeof raw !== 'string' || raw === '') return raw
  if (isRemoteStore(raw)) return raw
  const folder = paths.expand(raw)
  return paths.upstreamStores().includes(folder) ? undefined : join(folder, 'og')
}

function valueAt(content: unknown, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((at, part) => (isRecord(at) ? at[part] : undefined), content)
}

type Parsed = { value: SettingValue; origin: string; problem: OgError | null }

function parseCandidate({ setting, raw, origin }: Candidate): Parsed {
  const value = parseValue(setting.kind, raw) as SettingValue | undefined
  if (value !== undefined) return { value, origin, problem: null }
  const display = setting.secret ? 'the value' : JSON.stringify(raw)
  const message = `Cannot use ${display} for ${setting.key} (from ${origin}): must be`
  return {
    value: null,
    origin,
    problem: new OgError(`${message} ${describeAllowedValues(setting.kind)}`),
  }
}

function* brokenSections(file: UserFile): Iterable<OgError> {
  const sections = new Set(settings.flatMap(({ key }) => key.split('.').slice(0, -1)))
  for (const section of sections) {
    const value = file.content[section]
    if (value === undefined || value === null || isRecord(value)) continue
    yield new OgError(`Cannot use config "${file.path}": "${section}" must be an object`, {
      hint: 'correct the file, or run "og config reset"',
    })
  }
}

/**
 * Converts settings to a `Config`. Never throws, because invalid values are already replaced with
 * defaults.
 */
function toConfig(
  effective: readonly EffectiveSetting[],
  env: Environment,
  paths: UserPaths,
): LoadedSettings['config'] {
  const values = new Map(effective.map(({ setting, value }) => [setting.key, value]))
  const text = (key: string) => values.get(key) as string | null
  const whole = (key: string) => values.get(key) as number | null
  const dbSetting = text('db_path')
  const path = (key: string) => {
    const value = text(key)
    return value === null ? null : paths.expand(value)
  }
  const dbPath =
    dbSetting !== null && isRemoteStore(dbSetting) ? dbSetting : (path('db_path') ?? paths.store())
  return {
    dbPath,
    isStoreNamed: dbPath !== paths.store(),
    cachePath: paths.cache(),
    store: {
      endpoint: text('store.endpoint'),
      region: text('store.region'),
      profile: text('store.profile'),
      cacheBytes: whole('store.cache_gb')! * 1e9,
      env,
    },
    modelDir: path('embeddings.model_dir'),
    rawDataPath: path('raw_data_dir') ?? paths.rawPages(),
    extraction: { concurrencyLimit: whole('extraction.concurrency_limit')! },
    embeddings: {
      backend: text('embeddings.embedding_backend') as Config['embeddings']['backend'],
      engine: text('embeddings.engine') as Config['embeddings']['engine'],
      model: text('embeddings.embedding_model')!,
      dimensions: whole('embeddings.embedding_dimensions')!,
      batchSize: whole('embeddings.batch_size')!,
      concurrency: whole('embeddings.parallel_requests')!,
      tokenLimit: whole('embeddings.token_limit'),
      chunkSize: whole('embeddings.chunk_size'),
      chunkOverlap: whole('embeddings.chunk_overlap'),
      baseUrl: text('embeddings.base_url'),
      apiKey: text('embeddings.api_key'),
    },
    query: { topK: whole('query.top_k')! },
    mcp: { answerShape: text('mcp.answer_shape') as Config['mcp']['answerShape'] },
    sources: {
      autoAddLocal: values.get('sources.auto_add_local') as boolean,
      filePath: path('sources.file_path'),
    },
  }
}

/** Reports and removes a chunk overlap that is not less than the chunk size. */
function withoutOverlap(loaded: Pick<LoadedSettings, 'effective' | 'problems'>): typeof loaded {
  const numberOf = (key: string) =>
    loaded.effective.find(({ setting }) => setting.key === key)!.value as number | null
  const key = 'embeddings.chunk_overlap'
  const chunkSize = numberOf('embeddings.chunk_size')
  const chunkOverlap = numberOf(key)
  if (chunkSize === null || chunkOverlap === null || chunkOverlap < chunkSize) return loaded
  const problem = new OgError(
    `Cannot use ${key} ${chunkOverlap}: it must be less than ` +
      `embeddings.chunk_size, which is ${chunkSize}`,
  )
  const effective = loaded.effective.map((entry) =>
    entry.setting.key === key ? { ...entry, value: null, origin: 'default' } : entry,
  )
  return { effective, problems: [...loaded.problems, problem] }
}

export const variables: readonly { name: string; doc: string }[] = [
  {
    name: 'OG_DB_PATH',
    doc: 'Folder of the index, or an address such as `s3://BUCKET/PREFIX` (setting db_path).',
  },
  { name: 'OG_CACHE_DIR', doc: 'Folder for unpacked libraries and downloaded models.' },
  { name: 'OG_MODEL_DIR', doc: 'Short for OG_EMBEDDINGS__MODEL_DIR.' },
  { name: 'OG_EMBEDDER', doc: 'Short for OG_EMBEDDINGS__ENGINE.' },
  {
    name: 'OG_DEBUG',
    doc:
      'If set to 1, og writes each step with its time to stderr (`[og   12.3 ms] load ' +
      'config`), and internal errors include a stack trace.',
  },
  {
    name: 'OG_PROGRESS',
    doc: 'If set to json, og writes progress to stderr, one JSON object per line.',
  },
  { name: 'OG_SERVE_TOKEN', doc: 'Token of og serve, if there is no --token-file.' },
  { name: 'OG_SERVE_KEYS', doc: 'Key file of og serve and og keys, if there is no --keys-file.' },
  {
    name: 'OG_REACH',
    doc:
      'Hosts and folders that a job of an agent may read, as JSON. og mcp and og serve set it ' +
      'for their jobs.',
  },
  { name: 'OG_UPDATE_URL', doc: 'Address at which og upgrade looks for releases.' },
  { name: 'OG_UPDATE_KEY', doc: 'Public minisign key of these releases.' },
  { name: 'HF_ENDPOINT', doc: 'Address of the model hub or of a mirror.' },
  { name: 'NO_COLOR', doc: 'If set, og prints no colours.' },
  {
    name: 'FORCE_COLOR',
    doc: 'If set, og colours messages even without a terminal; 0 means never.',
  },
  { name: 'PAGER', doc: 'Program, with its arguments, that shows output longer than the screen.' },
  { name: 'XDG_CONFIG_HOME', doc: 'Folder that contains the settings, `og/config.json`.' },
  { name: 'XDG_DATA_HOME', doc: 'Folder that contains the data, `og`: index, memory, raw pages.' },
  { name: 'XDG_CACHE_HOME', doc: 'Folder that contains the cache, `og`.' },
]

/** Returns a setting's variable: `OG_EMBEDDINGS__CHUNK_SIZE` for `embeddings.chunk_size`. */
export function settingVariable(key: string): string {
  return `OG_${key.toUpperCase().replaceAll('.', '__')}`
}

export const shortVariables: Readonly<Record<string, string>> = {
  'embeddings.engine': 'OG_EMBEDDER',
  'embeddings.model_dir': 'OG_MODEL_DIR',
}

/**
 * Returns variables that look like settings but do not exist, because they are probably misspelled.
 */
export function unknownVariables(env: Environment): string[] {
  const names = new Set(settings.map((setting) => settingVariable(setting.key)))
  return Object.keys(env).filter(
    (name) => name.startsWith('OG_') && name.includes('__') && !names.has(name),
  )
}

/** Makes an object per section of `section.name`. */
export function nestByDots(rows: readonly EffectiveSetting[]): Record<string, unknown> {
  const result: Record<string, Record<string, unknown> | unknown> = {}
  for (const { setting, value } of rows) {
    const [section, name] = setting.key.split('.')
    if (name === undefined) result[section!] = value
    else result[section!] = { ...(result[section!] as object | undefined), [name]: value }
  }
  return result
}
