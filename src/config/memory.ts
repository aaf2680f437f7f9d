import { join, basename, dirname, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { defaultMemorySettings, type MemorySettings } from '../memory/settings.ts'
import type { CustomFile } from '../memory/workspace.ts'
import { messageOf, OgError } from '../platform/error.ts'
import { readTextFile } from '../platform/file/read-file.ts'
import { memorySettings, memoryVariable, type MemorySetting } from './memory-setting.ts'
import { expandPath, findMemoryHome, userHome, type Environment } from './paths.ts'
import { describeAllowedValues, parseValue } from './setting.ts'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { sha256 } from '../platform/hash.ts'

/** The effective settings of memory. */
export type MemoryConfig = {
  root: string
  workspace: string
  /** The project of the workspace; null for a workspace of the user. */
  project: MemoryProject | null
  customFiles: readonly CustomFile[]
  settings: MemorySettings
  exposeMemoryList: boolean
  dispatcherMode: boolean
  /** True if captured notes are added to memory without review. */
  captureAcceptsAll: boolean
  embedding: {
    provider: 'local' | 'openai' | 'none'
    baseUrl: string | null
    apiKey: string | null
    model: string
    dimensions: number
    localModel: string
    batchSize: number
  }
  mcp: {
    host: string
    port: number
    allowedHosts: readonly string[]
    forwardedAllowIps: readonly string[]
    apiKey: string | null
    keysFile: string | null
    workspaces: readonly string[]
  }
  /** A line for each given setting without effect. */
  ignored: readonly string[]
  origins: ReadonlyMap<string, string>
}

/** A project's folder, and the user's workspace, which is shown together with the project's. */
type MemoryProject = { folder: string; userWorkspace: string }

export type MemoryFlags = {
  root?: string
  workspace?: string
  scope?: string
  folder?: string
  /** The path of a second `.env` file, which overrides the one in the root folder. */
  envFile?: string
}

/**
 * Loads the settings of memory: flags > GROUNDMEMORY_* > `.env` > groundmemory.yaml in the root
 * folder > defaults. With the scope `project`, the git repository of the current folder selects the
 * workspace. From groundmemory.yaml in the current folder, reads only `search`. An API key in the
 * environment does not select a provider. Ignores unknown names, because they may be upstream's.
 * @throws OgError with the setting, its origin and the allowed values
 */
export async function loadMemoryConfig(
  env: Environment,
  flags: MemoryFlags = {},
): Promise<MemoryConfig> {
  const environmentLayer = variables(env, '')
  const envFile = flags.envFile === undefined ? [] : [await readEnv(flags.envFile, true)]
  const rootSetting = [environmentLayer, ...envFile]
    .find((layer) => layer.has('root_dir'))
    ?.get('root_dir')?.raw
  if (flags.root === '') throw new OgError('Cannot use "" for --root: it is empty')
  const chosen = flags.root ?? (rootSetting === undefined ? undefined : String(rootSetting))
  const root = chosen === undefined ? findMemoryHome(env).folder : expandPath(chosen, env)
  const layers = [
    flagLayer(flags),
    environmentLayer,
    ...envFile,
    await readEnv(join(root, '.env'), false),
    await readYaml(join(root, 'groundmemory.yaml')),
  ]
  const project = await readProjectYaml(flags.folder ?? process.cwd(), root)
  layers.push(project.layer)
  const origins = new Map<string, string>()
  const values = new Map(
    memorySettings.map((setting) => {
      const setValue = layers.find((layer) => layer.has(setting.key))?.get(setting.key)
      origins.set(setting.key, setValue?.origin ?? 'default')
      return [
        setting.key,
        setValue === undefined ? setting.default : parseSetting(setting, setValue),
      ]
    }),
  )
  const ignored = [...ignoredSettings(values, origins), ...project.ignored]
  const config = { ...configOf(values, env), root, project: null, ignored, origins }
  const isByProject = values.get('scope') === 'project' && origins.get('workspace') === 'default'
  if (!isByProject) return config
  const scope = findProject(flags.folder ?? process.cwd(), userHome(env))
  if (scope === null) return config
  const { folder, workspace } = scope
  origins.set('workspace', `project ${folder}`)
  return { ...config, workspace, project: { folder, userWorkspace: config.workspace } }
}

function ignoredSettings(values: Values, origins: MemoryConfig['origins']): string[] {
  return [...ignoredScope(values, origins), ...ignoredThreshold(values, origins)]
}

/** A workspace on the command line applies only to this call and causes no warning. */
function ignoredScope(values: Values, origins: MemoryConfig['origins']): string[] {
  const workspace = origins.get('workspace')!
  const isIgnored = values.get('scope') === 'project' && !['default', 'flag'].includes(workspace)
  return isIgnored ? [`"scope" (project) has no effect: ${workspace} sets "workspace"`] : []
}

function ignoredThreshold(values: Values, origins: MemoryConfig['origins']): string[] {
  const key = 'relations.dedup_threshold'
  const threshold = values.get(key)
  const origin = origins.get(key)
  if (origin === 'default' || threshold === 1) return []
  return [`"${key}" (${threshold} in ${origin}) has no effect: similar relations are both kept`]
}

type RawSetting = { raw: unknown; origin: string }
type Layer = ReadonlyMap<string, RawSetting>

function flagLayer({ workspace, scope }: MemoryFlags): Layer {
  const flags = Object.entries({ workspace, scope }).filter(([, raw]) => raw !== undefined)
  return new Map(flags.map(([key, raw]) => [key, { raw, origin: 'flag' }]))
}

/**
 * Returns the values of variables. Like upstream, ignores the case of names. An empty value counts
 * as unset.
 */
function variables(env: Environment, file: string): Layer {
  const upper = new Map(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value]))
  const values = memorySettings.flatMap(({ key, aliases = [] }): [string, RawSetting][] => {
    const names = [key, ...aliases].map(memoryVariable)
    const name = names.find((it) => (upper.get(it) ?? '') !== '')
    return name === undefined ? [] : [[key, { raw: upper.get(name), origin: file || name }]]
  })
  return new Map(values)
}

async function readEnv(path: string, isAsked: boolean): Promise<Layer> {
  const text = await textOrNull(path)
  if (text === null && isAsked) throw new OgError(`Cannot read ${path}: there is no such file`)
  const plain = text?.replace(/^\ufeff/, '')
  return plain === undefined ? new Map() : variables(parseEnv(plain) as Environment, path)
}

async function readYaml(path: string): Promise<Layer> {
  const text = await textOrNull(path)
  if (text === null) return new Map()
  const { parse } = await import('yaml')
  const content = await Promise.try(() => parse(text) as unknown).catch((cause) => {
    throw new OgError(`Cannot read ${path}: ${messageOf(cause).split('\n')[0]}`, { cause })
  })
  const values = memorySettings.flatMap(({ key, aliases = [] }): [string, RawSetting][] => {
    const raw = [key, ...aliases].map((name) => valueAt(content, name)).find((it) => it != null)
    return raw === undefined ? [] : [[key, { raw, origin: path }]]
  })
  return new Map(values)
}

/**
 * Reads groundmemory.yaml in the current folder, as upstream does. A repository may change search
 * settings, but not where memory is stored or sent, what agents read, or what is captured. Ignores
 * an unreadable file.
 */
async function readProjectYaml(
  folder: string,
  root: string,
): Promise<{ layer: Layer; ignored: string[] }> {
  const path = join(folder, 'groundmemory.yaml')
  if (folder === root) return { layer: new Map(), ignored: [] }
  const read = await readYaml(path).catch((error: unknown) => messageOf(error))
  if (typeof read === 'string') return { layer: new Map(), ignored: [read] }
  const layer = new Map([...read].filter(([key]) => key.startsWith('search.')))
  const others = [...read.keys()].filter((key) => !layer.has(key)).map((key) => `"${key}"`)
  const place = join(root, 'groundmemory.yaml')
  const why = `only "search" is read from a project; for all projects, use ${place}`
  const ignored = others.length === 0 ? [] : [`${others.join(', ')} in ${path}: ${why}`]
  return { layer, ignored }
}

function valueAt(content: unknown, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>(
      (at, part) =>
        at !== null && typeof at === 'object' ? at[part as keyof typeof at] : undefined,
      content,
    )
}

async function textOrNull(path: string): Promise<string | null> {
  return readTextFile(path, { limitMb: 1 }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return null
    throw new OgError(`Cannot read ${path}: ${messageOf(cause)}`, { cause })
  })
}

function parseSetting({ key, kind, secret }: MemorySetting, { raw, origin }: RawSetting): unknown {
  const value = parseValue(kind, raw)
  if (value !== undefined) return value
  const display = secret ? 'the value' : JSON.stringify(raw)
  throw new OgError(
    `Cannot use ${display} of ${origin} for "${key}": it must be ${describeAllowedValues(kind)}`,
  )
}

type Values = ReadonlyMap<string, unknown>

function configOf(
  values: Values,
  env: Environment,
): Omit<MemoryConfig, 'root' | 'project' | 'ignored' | 'origins'> {
  const value = <T>(key: string) => values.get(key) as T
  const provider = value<MemoryConfig['embedding']['provider']>('embedding.provider')
  const key = value<string | null>('embedding.api_key')
  return {
    workspace: value('workspace'),
    customFiles: value<Record<string, unknown>[]>('custom_files').map(customFile),
    settings: settingsOf(values),
    exposeMemoryList: value('expose_memory_list'),
    dispatcherMode: value('dispatcher_mode'),
    captureAcceptsAll: value('capture.accept_all'),
    embedding: {
      ...section<MemoryConfig['embedding']>(values, 'embedding'),
      apiKey: provider === 'openai' ? (key ?? (env.OPENAI_API_KEY || null)) : null,
    },
    mcp: section(values, 'mcp'),
  }
}

/** Returns a section's settings by camel-case name. */
function section<T>(values: Values, name: string): T {
  const own = [...values].filter(([key]) => key.startsWith(`${name}.`))
  const camelCase = (key: string) =>
    key.slice(name.length + 1).replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(own.map(([key, value]) => [camelCase(key), value])) as T
}

function settingsOf(values: Values): MemorySettings {
  const value = <T>(key: string) => values.get(key) as T
  return {
    ...defaultMemorySettings,
    topK: value('search.top_k'),
    recall: section(values, 'search'),
    chunking: section(values, 'chunking'),
    bootstrap: section(values, 'bootstrap'),
    contextMinCosine:
      value('embedding.provider') === 'local'
        ? (minCosines[value<string>('embedding.local_model')] ?? null)
        : null,
    syncOnBootstrap: value('bootstrap.sync_memory_on_bootstrap'),
    backupsKept: value('backups.keep'),
    mutableTiers: value('mutable_tiers'),
  }
}

/**
 * `contextMinCosine` by model, measured with the questions in test/eval/memory
 * (docs/parity/groundmemory.md).
 */
const minCosines: Readonly<Record<string, number>> = { 'BAAI/bge-small-en-v1.5': 0.55 }

function customFile(file: Record<string, unknown>): CustomFile {
  const { name, description = '', inject = true, max_chars = null } = file
  const { searchable = true, compactable = false, mutable = true } = file
  if (typeof name !== 'string') {
    throw new OgError('Cannot use "custom_files": every file must have a name')
  }
  return {
    name,
    description: String(description),
    inject: inject === true,
    maxChars: typeof max_chars === 'number' ? max_chars : null,
    searchable: searchable === true,
    compactable: compactable === true,
    mutable: mutable === true,
  }
}

/** A folder's git repository, and the name of its memory workspace. */
type ProjectScope = { folder: string; workspace: string }

/**
 * Finds the git repository that contains a folder. All worktrees share the workspace of the main
 * folder. Returns null outside a repository, and if the repository is or contains the home folder.
 * The name depends only on paths, because files in a repository must not choose which memory is
 * read and written.
 */
export function findProject(from: string, home: string): ProjectScope | null {
  const [start, top] = [realpathOrSelf(from), realpathOrSelf(home)]
  for (let at = start; dirname(at) !== at; at = dirname(at)) {
    if (at === top || top.startsWith(join(at, '/'))) return null
    if (!existsSync(join(at, '.git'))) continue
    const folder = mainFolder(at)
    return { folder, workspace: workspaceName(folder) }
  }
  return null
}

/**
 * Returns the main folder of a worktree's repository, or the folder itself if it is not a worktree.
 * Anyone can write the `.git` file of a worktree, so the repository must list the worktree too.
 */
function mainFolder(folder: string): string {
  const git = join(folder, '.git')
  const own = readLine(git)?.match(/^gitdir: (.+)$/)?.[1]
  if (own === undefined) return folder
  const state = realpathOrSelf(resolve(folder, own))
  const shared = readLine(join(state, 'commondir'))
  const back = readLine(join(state, 'gitdir'))
  if (shared === null || back === null) return folder
  const repository = realpathOrSelf(resolve(state, shared))
  const isListed = dirname(dirname(state)) === repository
  const isOwn = realpathOrSelf(resolve(state, back)) === git
  if (!isListed || !isOwn) return folder
  return basename(repository) === '.git' ? dirname(repository) : repository
}

/** Returns the first line of a small file, or null if there is no such file. */
function readLine(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size > 8_192) return null
  try {
    return readFileSync(path, 'utf8').split('\n')[0]!.trim()
  } catch {
    return null
  }
}

function workspaceName(folder: string): string {
  const name = basename(folder)
    .normalize()
    .replace(/[^\p{L}\p{N}_.-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}_]+/u, '')
  return `${[...name].slice(0, 60).join('') || 'project'}-${sha256(folder).slice(0, 8)}`
}

function realpathOrSelf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
