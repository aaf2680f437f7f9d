import { settings } from './setting.ts'

/** The environment variables; an empty one counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>

export type Variable = { name: string; doc: string }

export const variables: readonly Variable[] = [
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

/** Returns the variable of a setting: `embeddings.chunk_size` → `OG_EMBEDDINGS__CHUNK_SIZE`. */
export function settingVariable(key: string): string {
  return `OG_${key.toUpperCase().replaceAll('.', '__')}`
}

export const shortVariables: Readonly<Record<string, string>> = {
  'embeddings.engine': 'OG_EMBEDDER',
  'embeddings.model_dir': 'OG_MODEL_DIR',
}

/**
 * Returns variables that look like settings but do not exist, because a misspelled one would be
 * ignored silently.
 */
export function unknownVariables(env: Environment): string[] {
  const names = new Set(settings.map((setting) => settingVariable(setting.key)))
  return Object.keys(env).filter(
    (name) => name.startsWith('OG_') && name.includes('__') && !names.has(name),
  )
}
